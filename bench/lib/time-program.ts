import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Started as `npm start` rather than by Node alone. */
  readonly npm?: boolean;
  readonly onLine?: (line: string, ms: number) => void;
}

/** Milliseconds from the start of a program of Node to its end. When it fails, rejects with the end of its output. */
export async function timeProgram(args: readonly string[], options: ProgramOptions = {}): Promise<number> {
  const started = performance.now();
  const [program, ...rest] =
    options.npm === true ? ['npm', 'start', '--silent', '--', ...args.slice(1)] : [process.execPath, ...args];
  const child = spawn(program ?? process.execPath, rest, {
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-3_000)));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => options.onLine?.(line, performance.now() - started));
  const read = new Promise<void>((done) => lines.once('close', done));
  const code = await new Promise<number | null>((done, reject) => {
    child.once('error', reject);
    child.once('close', done);
  });
  const ms = performance.now() - started;
  await read;
  if (code !== 0) throw new Error(`${args.slice(1, 3).join(' ')} ended with ${code ?? 'a signal'}: ${errors.trim()}`);
  return ms;
}
