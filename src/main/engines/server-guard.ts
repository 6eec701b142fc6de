import { spawn } from 'node:child_process';

/**
 * Runs a server for as long as the process that started it lives: `server-guard PROGRAM ARGUMENT…`. A server knows nothing
 * of us; with its guard it ends with us, however we end. What it prints is passed on.
 */
const [program = '', ...args] = process.argv.slice(2);
const isWindows = process.platform === 'win32';
/** How long it may take to end by itself: a model server has processes of its own to end. */
const graceMs = 5_000;

const server = spawn(program, args, {
  stdio: ['ignore', 'inherit', 'inherit'],
  // A group of its own, so that what it has started can be ended, too.
  detached: !isWindows,
  windowsHide: true,
});

const endAll = (signal: NodeJS.Signals): void => {
  try {
    if (isWindows || server.pid === undefined) server.kill(signal);
    else process.kill(-server.pid, signal);
  } catch {
    // It is gone already.
  }
};
const stop = (): void => {
  if (isWindows && server.pid !== undefined) spawn('taskkill', ['/pid', String(server.pid), '/t', '/f']);
  else server.kill('SIGTERM');
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
