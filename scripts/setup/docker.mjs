import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cacheDir } from './paths.mjs';
import { capture, has, start } from './run.mjs';
import { say } from './say.mjs';

/** @returns {{ok: true} | {ok: false, message: string}} whether an engine answers now */
export function findDocker() {
  if (!has('docker')) {
    return { ok: false, message: 'Docker is not installed (Debian, Ubuntu: sudo apt-get install -y docker.io)' };
  }
  const info = capture('docker', ['info', '--format', '{{.ServerVersion}}']);
  if (info.ok && info.stdout.trim()) return { ok: true };
  return { ok: false, message: 'the Docker engine does not answer; start Docker (Linux: sudo systemctl start docker)' };
}

/**
 * Finds a running engine, else starts one of our own (Linux, root).
 * @param {{pidFile?: string, isRoot?: boolean}} [machine] replaces facts of this machine in tests
 * @returns {Promise<{ok: true, stop?: () => Promise<void>} | {ok: false, message: string}>}
 *   `stop` is there only if this call started the engine
 */
export async function startDocker({ pidFile = '/var/run/docker.pid', isRoot = process.getuid?.() === 0 } = {}) {
  const found = findDocker();
  if (found.ok) return found;
  const program = findDaemon();
  if (process.platform !== 'linux' || !isRoot || !program) return found;
  // A second daemon beside a running one damages the first one's state, so a slow one gets a minute to answer.
  if (isDaemonThere(pidFile)) return (await answers(60, () => true)) ? { ok: true } : found;
  mkdirSync(cacheDir(), { recursive: true });
  const logFile = join(cacheDir(), 'dockerd.log');
  const log = openSync(logFile, 'w');
  say(`starting the Docker engine: ${program}`);
  // The daemon looks for its helpers (iptables, runc) on the PATH, which need not have the folders of system programs.
  const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` };
  // Where nothing may be there from before, the images lie in a folder of the caller's.
  const data = process.env.DEWPOINT_TEST_DOCKER_DATA;
  const daemon = start(program, data ? ['--data-root', data] : [], {
    detached: true,
    stdio: ['ignore', log, log],
    env,
  });
  if (daemon === undefined) return found;
  daemon.on('error', () => {});
  daemon.unref();
  closeSync(log);
  const isRunning = () => daemon.pid !== undefined && daemon.exitCode === null;
  if (await answers(60, isRunning)) return { ok: true, stop: () => stopDaemon(daemon) };
  await stopDaemon(daemon);
  const tail = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join('\n');
  return { ok: false, message: `the Docker engine did not start:\n${tail}` };
}

/** @returns {string | undefined} the engine's program, undefined where it is not installed */
export function findDaemon() {
  if (has('dockerd')) return 'dockerd';
  return ['/usr/local/sbin/dockerd', '/usr/sbin/dockerd'].find((path) => existsSync(path));
}

/** @param {number} seconds @param {() => boolean} isRunning when it returns false, waiting ends early */
async function answers(seconds, isRunning) {
  for (let tries = 0; tries < seconds * 2 && isRunning(); tries += 1) {
    if (findDocker().ok) return true;
    await wait(500);
  }
  return false;
}

/** @param {string} file */
function isDaemonThere(file) {
  if (!existsSync(file)) return false;
  const pid = readFileSync(file, 'utf8').trim();
  const name = `/proc/${pid}/comm`;
  return existsSync(name) && readFileSync(name, 'utf8').trim() === 'dockerd';
}

/** @param {import('node:child_process').ChildProcess} daemon */
async function stopDaemon(daemon) {
  if (daemon.exitCode !== null || daemon.pid === undefined) return;
  say('stopping the Docker engine that was started here');
  // The daemon was unreferenced at its start: without this, our process would end (code 13) before it does.
  daemon.ref();
  const ended = new Promise((done) => daemon.once('exit', done));
  daemon.kill('SIGTERM');
  await Promise.race([ended, wait(20_000, undefined, { ref: false })]);
  daemon.unref();
}
