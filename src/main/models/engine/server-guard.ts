import { randomUUID } from 'node:crypto';
import { win32 } from 'node:path';
import { refuseConnections } from '../../lib/net/no-connections.ts';
import { endMarked, processMark } from '../../lib/programs/marked-processes.ts';
import { startProgram } from '../../lib/programs/start-program.ts';

/**
 * Runs a server as long as the process that started it lives: `server-guard [--stdin] PROGRAM ARGUMENT…`. Without
 * the guard, the server would go on when Dewpoint ends or crashes. Its output is passed on, and with `--stdin` its
 * input, too.
 */
refuseConnections();
const hasInput = process.argv[2] === '--stdin';
const [program = '', ...args] = process.argv.slice(hasInput ? 3 : 2);
const isWindows = process.platform === 'win32';
/** How long the server may take to end by itself. A model server must first end its own child processes. */
const graceMs = hasInput ? 1_500 : 5_000;

/** Working folder and environment come from the process that started the guard. */
const mark = randomUUID();
const own = { folder: process.cwd(), env: { ...variables(), [processMark]: mark } };
const server = startProgram({
  ...own,
  program,
  args,
  stdio: [hasInput ? 'inherit' : 'ignore', 'inherit', 'inherit'],
  // A process group of its own, so that its children can be ended, too.
  detached: !isWindows,
});

function variables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const endAll = (signal: NodeJS.Signals): void => {
  try {
    if (isWindows || server.pid === undefined) server.kill(signal);
    else process.kill(-server.pid, signal);
  } catch {
    // It is gone already.
  }
  // Also ends processes that have left the group.
  if (signal === 'SIGKILL') endMarked(mark, server.pid);
};
const stop = (): void => {
  if (isWindows && server.pid !== undefined) {
    const taskkill = win32.join(process.env.SystemRoot ?? String.raw`C:\Windows`, 'System32', 'taskkill.exe');
    const words = ['/pid', String(server.pid), '/t', '/f'];
    startProgram({ ...own, program: taskkill, args: words, stdio: 'ignore' });
  } else server.kill('SIGTERM');
  setTimeout(() => endAll('SIGKILL'), graceMs).unref();
};

server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
server.on('exit', (code) => {
  endAll('SIGKILL');
  process.exit(code ?? 1);
});
process.on('disconnect', stop);
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
