import { spawn } from 'node:child_process';

/** A program and the words that begin its command. */
export type Program = readonly [program: string, ...words: string[]];

interface Outcome {
  /** Null: it could not be started, or was ended. */
  readonly code: number | null;
  /** The end of what it printed. */
  readonly output: string;
}

/** Never rejects; an abort ends the program, at once or within a second. */
export function runProgram(
  [program, ...first]: Program,
  words: readonly string[],
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<Outcome> {
  return new Promise((resolve) => {
    let output = '';
    if (signal.aborted) return resolve({ code: null, output });
    // Windows starts its `.cmd` files through a shell only; what is passed to them is never a person's text.
    const shell = program.endsWith('.cmd');
    const child = spawn(program, [...first, ...words], {
      env,
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const hear = (chunk: unknown): void => {
      output = (output + String(chunk)).slice(-4000);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const onAbort = (): void => {
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 1000).unref();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (code: number | null): void => {
      signal.removeEventListener('abort', onAbort);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      hear(error.message);
      settle(null);
    });
    child.on('close', settle);
  });
}
