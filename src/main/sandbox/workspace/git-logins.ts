import { textOf } from './repositories/named-by-config.ts';

/**
 * Configurations of git in which a login stands, each with the sections that hold one: `.git/config (remote origin)`.
 * Git needs the file, so that it cannot be hidden from commands. The login itself is never part of the answer.
 */
export async function findGitLogins(workspacePath: string, gitFolders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of gitFolders) {
    const sections = sectionsWithLogin(await textOf(workspacePath, `${folder}/config`));
    if (sections.length > 0) found.push(`${folder}/config (${sections.join(', ')})`);
  }
  return found;
}

function sectionsWithLogin(text: string): readonly string[] {
  const sections = new Set<string>();
  let section = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[\s*([\w.-]{1,64})(?:\s+"([\w./-]{1,64}))?/.exec(line);
    if (header !== null) section = [header[1], header[2]].filter((part) => part !== undefined).join(' ');
    if (isLogin(line)) sections.add(section);
  }
  return [...sections];
}

/** A password in an address, or a user there that is long enough to be a token; or a header that logs in. */
function isLogin(line: string): boolean {
  return (
    /[a-z]:\/\/[^\s/@:]{0,256}:[^\s/@]{1,1024}@/i.test(line) ||
    /[a-z]:\/\/[^\s/@:]{20,1024}@/i.test(line) ||
    /extraheader\s{0,16}=\s{0,16}"?authorization:/i.test(line)
  );
}
