import { win32 } from 'node:path';

/** On Windows, `npx`, `uvx` and similar programs are batch files. */
export function isBatchFile(program: string): boolean {
  return /\.(?:cmd|bat)$/iu.test(program);
}

/** The longest line that the command interpreter accepts, without the words before it. */
const longest = 8_000;

/** Characters with a meaning even inside quotes. */
const signs = ['%', '\0', '\r', '\n', '\u001A'];

/** Why a batch file cannot be started with these arguments; null: it can. */
export function batchProblem(program: string, args: readonly string[]): string | null {
  const unfit = [program, ...args].find((text) => signs.some((sign) => text.includes(sign)));
  if (unfit !== undefined)
    return `${win32.basename(program)} is a batch file, and no batch file can be given ${JSON.stringify(unfit)} safely`;
  return lineOf(program, args).length > longest ? 'the arguments are too long for a batch file' : null;
}

/**
 * How a batch file is started on Windows: by the command interpreter, which reads the line, and reads it again if the
 * file passes its arguments on. Each argument is quoted, so that it is never read as a command, either time. A quote
 * inside it is doubled, so that what follows stays quoted. Throws if there is a `batchProblem`. The returned line is
 * already quoted.
 */
export function batchLine(
  program: string,
  args: readonly string[],
  systemRoot: string,
): { readonly program: string; readonly args: readonly string[] } {
  const problem = batchProblem(program, args);
  if (problem !== null) throw new Error(`${problem}.`);
  // No commands from the registry, default extensions, no `!NAME!`. The outer quotes are removed.
  const words = ['/d', '/e:on', '/v:off', '/s', '/c', `"${lineOf(program, args)}"`];
  return { program: win32.join(systemRoot, 'System32', 'cmd.exe'), args: words };
}

function lineOf(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoted).join(' ');
}

/** Quoted as programs parse their command line: backslashes before a quote are doubled. */
function quoted(text: string): string {
  let made = '"';
  let backslashes = 0;
  for (const sign of text) {
    made += sign === '"' ? `${'\\'.repeat(backslashes)}""` : sign;
    backslashes = sign === '\\' ? backslashes + 1 : 0;
  }
  return `${made}${'\\'.repeat(backslashes)}"`;
}
