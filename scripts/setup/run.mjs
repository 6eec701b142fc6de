import { spawn, spawnSync } from 'node:child_process';

/**
 * Runs a program and collects what it prints. Never throws.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number}} [options]
 * @returns {{ok: boolean, stdout: string, stderr: string}} not ok also where the program is missing
 */
export function capture(command, args, { cwd, env, timeoutMs = 30_000 } = {}) {
  const done = spawnSync(...portable(command, args), {
    cwd,
    env,
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
    shell: needsShell(command),
  });
  return { ok: done.status === 0, stdout: done.stdout ?? '', stderr: done.stderr ?? String(done.error ?? '') };
}

/**
 * Runs a program with its output on our stderr. Never rejects.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, quiet?: boolean}} [options]
 *   quiet shows the output only when the program fails
 * @returns {Promise<{ok: boolean, output: string}>} output is collected only when quiet
 */
export function stream(command, args, { cwd, env, timeoutMs, quiet = false } = {}) {
  return new Promise((done) => {
    const child = spawn(...portable(command, args), {
      cwd,
      env,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
      shell: needsShell(command),
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const end = (/** @type {boolean} */ ok, /** @type {string} */ extra) => {
      clearTimeout(timer);
      done({ ok, output: output + extra });
    };
    child.on('error', (error) => end(false, error.message));
    child.on('close', (code) => end(code === 0, ''));
  });
}

/** @param {string} command @returns {boolean} whether the program can be started by its name */
export function has(command) {
  const probe = process.platform === 'win32' ? ['where', command] : ['sh', '-c', `command -v ${command}`];
  return capture(probe[0], probe.slice(1)).ok;
}

// On Windows npm is a .cmd file, which only a shell can start.
/** @param {string} command */
function needsShell(command) {
  return process.platform === 'win32' && command === 'npm';
}

/** @param {string} command @param {readonly string[]} args @returns {[string, string[]]} */
function portable(command, args) {
  return needsShell(command) ? [command, args.map((arg) => `"${arg}"`)] : [command, [...args]];
}
