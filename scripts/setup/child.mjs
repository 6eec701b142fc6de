import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Runs the program in place of this one: same input and output, signals forwarded, its exit code returned. Must be a
 * program with Node in it: its channel to this process ends with this process (`disconnect`), also by `kill -9`.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{env?: NodeJS.ProcessEnv, cwd?: string}} [options]
 * @returns {Promise<number>} the exit code, or 128 plus the signal's number where a signal ended it
 */
export function runInPlace(command, args, { env, cwd } = {}) {
  return new Promise((done) => {
    const child = spawn(command, [...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env, cwd });
    const release = forwardSignals(child);
    child.on('error', (error) => {
      release();
      process.stderr.write(`dewpoint: ${command} cannot be started: ${error.message}\n`);
      done(1);
    });
    child.on('close', (code, signal) => {
      release();
      done(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/** @param {import('node:child_process').ChildProcess} child @returns {() => void} */
function forwardSignals(child) {
  let lastMs = 0;
  const onInterrupt = () => {
    // A terminal sends Ctrl-C to every process of the job, and npm sends it again. Forwarding it as well would make two
    // or three of it, and a second one means "at once".
    if (isForeground() || Date.now() - lastMs < 200) return;
    lastMs = Date.now();
    child.kill('SIGINT');
  };
  const onTerminate = () => child.kill('SIGTERM');
  const onHangup = () => child.kill('SIGHUP');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onHangup);
  return () => process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onHangup);
}

/** Whether this process is in the foreground job of a terminal. */
function isForeground() {
  if (process.platform !== 'linux') return process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY || false;
  return isForegroundStat(readFileSync('/proc/self/stat', 'utf8'));
}

/** @param {string} stat a line of /proc/PID/stat @returns {boolean} */
export function isForegroundStat(stat) {
  // The name, in brackets, may itself contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [processGroup, terminalGroup] = [Number(fields[2]), Number(fields[5])];
  return terminalGroup > 0 && processGroup === terminalGroup;
}
