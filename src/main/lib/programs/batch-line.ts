import { win32 } from 'node:path';

/** `npx`, `uvx` and their like are batch files on Windows. */
export function isBatchFile(program: string): boolean {
  return /\.(?:cmd|bat)$/iu.test(program);
}

/** What the command interpreter takes at most, without the words before the line. */
const longest = 8_000;

/** They mean something in quotes, too. */
const signs = ['%', '\0', '\r', '\n', '\u001A'];

/** Why a batch file cannot be started with this; null: it can. */
export function batchProblem(program: string, args: readonly string[]): string | null {
  const unfit = [program, ...args].find((text) => signs.some((sign) => text.includes(sign)));
  if (unfit !== undefined)
    return `${win32.basename(program)} is a batch file, and no batch file can be given ${JSON.stringify(unfit)} safely`;
  return lineOf(program, args).length > longest ? 'the arguments are too long for a batch file' : null;
}

/**
 * How a batch file is started on Windows: by the command interpreter, which reads the line, and reads it again where the file
 * hands its arguments on. Each argument stands in quotes, in which nothing of it is a command, both times: a quote in it is
 * doubled, so that what follows is in quotes again. Throws where there is a `batchProblem`. The line is quoted already.
 */
export function batchLine(
  program: string,
  args: readonly string[],
  systemRoot: string,
): { readonly program: string; readonly args: readonly string[] } {
  const problem = batchProblem(program, args);
  if (problem !== null) throw new Error(`${problem}.`);
  // No commands of the registry, extensions as they are by default, no `!NAME!`; the outer quotes are taken off.
  const words = ['/d', '/e:on', '/v:off', '/s', '/c', `"${lineOf(program, args)}"`];
  return { program: win32.join(systemRoot, 'System32', 'cmd.exe'), args: words };
}

function lineOf(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoted).join(' ');
}

/** As programs take their command line apart: backslashes before a quote are doubled. */
function quoted(text: string): string {
  let made = '"';
  let backslashes = 0;
  for (const sign of text) {
    made += sign === '"' ? `${'\\'.repeat(backslashes)}""` : sign;
    backslashes = sign === '\\' ? backslashes + 1 : 0;
  }
  return `${made}${'\\'.repeat(backslashes)}"`;
}
