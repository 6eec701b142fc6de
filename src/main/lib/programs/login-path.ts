import { posix } from 'node:path';

/** Those that take `-l -i -c`. */
const shells = ['bash', 'zsh', 'fish', 'sh', 'dash', 'ksh'];
const mark = 'DEWPOINT-ENVIRONMENT';

/** The shell of a person that says what PATH is in a terminal; null: there is none, or this program has that PATH already. */
export function loginShell(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | null {
  const { SHELL: shell = '', TERM: terminal } = env;
  if (platform === 'win32' || terminal !== undefined) return null;
  return shell.startsWith('/') && shells.includes(posix.basename(shell)) ? shell : null;
}

/** Prints the environment between two marks, whatever else the files of the person's shell print. */
export const loginWords = ['-l', '-i', '-c', `echo ${mark}; /usr/bin/env; echo ${mark}`] as const;

/** PATH in what was printed; null: it is not there. */
export function pathPrinted(printed: string): string | null {
  const [, between = ''] = printed.split(`${mark}\n`);
  const line = between.split('\n').find((one) => one.startsWith('PATH='));
  return line?.slice('PATH='.length) ?? null;
}
