import { posix } from 'node:path';

/** Shells that accept `-l -i -c`. */
const shells = ['bash', 'zsh', 'fish', 'sh', 'dash', 'ksh'];
const mark = 'DEWPOINT-ENVIRONMENT';

/** The user's shell, which knows the PATH of a terminal; null: there is none, or this program already has that PATH. */
export function loginShell(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | null {
  const { SHELL: shell = '', TERM: terminal } = env;
  if (platform === 'win32' || terminal !== undefined) return null;
  return shell.startsWith('/') && shells.includes(posix.basename(shell)) ? shell : null;
}

/** Prints the environment between two marks, because the shell's startup files may print other text. */
export const loginWords = ['-l', '-i', '-c', `echo ${mark}; /usr/bin/env; echo ${mark}`] as const;

/** The PATH in the output; null: it is missing. */
export function pathPrinted(printed: string): string | null {
  const [, between = ''] = printed.split(`${mark}\n`);
  const line = between.split('\n').find((one) => one.startsWith('PATH='));
  return line?.slice('PATH='.length) ?? null;
}
