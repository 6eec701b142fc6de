import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Whom git names where a repository and a command name nobody. */
export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

/** Of a person who has told git neither name nor address. */
const nobody: CommitAuthor = { name: 'agent', email: 'agent@localhost' };
const mostBytes = 1024 * 1024;

/**
 * The name and address that the user gave git for all repositories. They are read as text, because no program of the
 * host runs for this; included files are not followed.
 */
export async function commitAuthor(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<CommitAuthor> {
  const { GIT_CONFIG_GLOBAL: own, XDG_CONFIG_HOME: folder, HOME: home = homedir() } = environment;
  const usual = [join(folder ?? join(home, '.config'), 'git', 'config'), join(home, '.gitconfig')];
  const texts = await Promise.all(
    // A file that is not there names nobody.
    (own === undefined ? usual : [own]).map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return texts.reduce((author, text) => authorIn(text.slice(0, mostBytes), author), nobody);
}

/** The last word counts, as in git. */
function authorIn(text: string, before: CommitAuthor): CommitAuthor {
  let section = '';
  const author = { ...before };
  for (const line of text.split('\n').map((one) => one.trim())) {
    const head = /^\[([^\]]{1,200})\]/u.exec(line);
    section = head === null ? section : (head[1] ?? '').trim().toLowerCase();
    const rest = head === null ? line : line.slice(head[0].length);
    const at = rest.indexOf('=');
    const key = rest.slice(0, at).trim().toLowerCase();
    const value = plain(rest.slice(at + 1));
    if (section !== 'user' || at === -1 || value === '') continue;
    if (key === 'name') author.name = value;
    if (key === 'email') author.email = value.replaceAll(' ', '');
  }
  return author;
}

/** Without what ends a field of a list of users, or stands for the user there. */
function plain(value: string): string {
  const text = value.trim().replaceAll(/^"|"$/gu, '');
  return text
    .replaceAll(/[\p{Cc}\p{Cf}:,&<>"\\]/gu, ' ')
    .trim()
    .slice(0, 200);
}
