const address =
  /\b(?:https?|git\+https?):\/\/(?:[^\s/@"'<>]*@)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d+)?(?=[/\s"'#?]|$)/gi;

/**
 * The hosts of all addresses in a text, in lower case and without duplicates. Names and passwords before an `@` are
 * left out.
 */
export function hostsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(address)].map((match) => (match[1] ?? '').toLowerCase()))].sort();
}

/** The hosts in a lock file of npm or yarn from which packages come, without those of homepages and donations. */
export function lockHosts(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .filter((line) => /^\s*"?(?:resolved|resolution|tarball|integrity)"?\s*:?\s/.test(line) || /\btarball:/.test(line));
  return hostsIn(lines.join('\n'));
}

/** A requirements file without its comments. */
export function withoutComments(text: string): string {
  return text.replaceAll(/(?:^|\s)#.*$/gm, '');
}
