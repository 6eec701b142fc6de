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

/** Whether the user has told git an address. */
export const isKnownAuthor = ({ email }: CommitAuthor): boolean => email !== nobody.email;

const mostBytes = 1024 * 1024;

/**
 * The name and address that the user gave git for all repositories. They are read as text, because no program of the
 * host runs for this; included files are not followed.
 */
export async function commitAuthor(environment?: Readonly<Record<string, string | undefined>>): Promise<CommitAuthor> {
  return (await settingsTexts(environment)).reduce((author, text) => authorIn(text, author), nobody);
}

/** Whether the user told git to sign all commits. */
export async function signsCommits(environment?: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const lines = (await settingsTexts(environment)).join('\n').toLowerCase().split('\n');
  const said = lines.map((line) => line.replaceAll(/[\s"]/gu, '')).filter((line) => line.startsWith('gpgsign'));
  return /^gpgsign(?:=(?:true|yes|on|1))?$/u.test(said.at(-1) ?? '');
}

async function settingsTexts(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<readonly string[]> {
  const { GIT_CONFIG_GLOBAL: own, XDG_CONFIG_HOME: folder, HOME: home = homedir() } = environment;
  const usual = [join(folder ?? join(home, '.config'), 'git', 'config'), join(home, '.gitconfig')];
  const texts = await Promise.all(
    // A file that is not there names nobody.
    (own === undefined ? usual : [own]).map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return texts.map((text) => text.slice(0, mostBytes));
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
