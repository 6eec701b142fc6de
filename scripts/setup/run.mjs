import { spawn, spawnSync } from 'node:child_process';
import { findCommand, findProgram, searchFolders } from './find-program.mjs';
import { root } from './paths.mjs';

// These scripts may be run in any folder, also in a project. Programs are neither looked for nor run there.

/**
 * Runs a program and collects what it prints. Never throws.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number}} [options]
 * @returns {{ok: boolean, stdout: string, stderr: string}} not ok if the program fails or is missing
 */
export function capture(command, args, { cwd = root, env = process.env, timeoutMs = 30_000 } = {}) {
  const found = findCommand(command, env);
  if (found === undefined) return { ok: false, stdout: '', stderr: missing(command) };
  const done = spawnSync(found[0], [...found.slice(1), ...args], {
    cwd,
    env: cleaned(env),
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { ok: done.status === 0, stdout: done.stdout ?? '', stderr: done.stderr ?? String(done.error ?? '') };
}

/** What `stream` runs now. @type {Set<import('node:child_process').ChildProcess>} */
const streaming = new Set();

/** Ends what `stream` runs now: a download or a build that nobody waits for any more. */
export function endStreams() {
  for (const child of streaming) child.kill();
}

/**
 * Runs a program with its output on our stderr. Never rejects.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, quiet?: boolean}} [options]
 *   quiet shows the output only if the program fails
 * @returns {Promise<{ok: boolean, output: string}>} output is collected only when quiet
 */
export function stream(command, args, { cwd, env, timeoutMs, quiet = false } = {}) {
  return new Promise((done) => {
    const child = start(command, args, { cwd, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2] });
    if (child === undefined) return done({ ok: false, output: missing(command) });
    streaming.add(child);
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const end = (/** @type {boolean} */ ok, /** @type {string} */ extra) => {
      streaming.delete(child);
      clearTimeout(timer);
      done({ ok, output: output + extra });
    };
    child.on('error', (error) => end(false, error.message));
    child.on('close', (code) => end(code === 0, ''));
  });
}

/** @param {string} command @returns {boolean} whether the program can be started by its name */
export function has(command) {
  return findProgram(command) !== undefined;
}

/**
 * Starts a program.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {import('node:child_process').ChildProcess | undefined} undefined where the program is missing
 */
export function start(command, args, { cwd = root, env = process.env, ...options }) {
  const found = findCommand(command, env);
  if (found === undefined) return undefined;
  return spawn(found[0], [...found.slice(1), ...args], { ...options, cwd, env: cleaned(env) });
}

// What a program starts by name is found in the same folders.
/** @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
function cleaned(env) {
  const { Path: _path, ...rest } = env;
  const separator = process.platform === 'win32' ? ';' : ':';
  return { ...rest, PATH: searchFolders(env).join(separator), NoDefaultCurrentDirectoryInExePath: '1' };
}

/** @param {string} command */
function missing(command) {
  return `${command}: program not found`;
}
