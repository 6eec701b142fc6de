import ignore from 'ignore';

/** Whether a path matches a glob as in ripgrep and git: without a slash it matches at any depth; `!` negates it. */
export function globMatcher(glob: string): (path: string) => boolean {
  const isNegated = glob.startsWith('!');
  const rules = ignore({ allowRelativePaths: true }).add(isNegated ? glob.slice(1) : glob);
  return (path) => rules.ignores(path) !== isNegated;
}
