import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureElectronShell } from './electron-shell.mjs';
import { root } from './paths.mjs';
import { stream } from './run.mjs';
import { say } from './say.mjs';

const folder = join(root, 'node_modules', 'electron');

/**
 * Whether this machine can open a window.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {NodeJS.Platform} [platform]
 */
export function hasDisplay(env = process.env, platform = process.platform) {
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * Finds the Electron binary. Its npm package downloads it on first use. With DEWPOINT_TEST_SHELL=1 the test shell is
 * used instead.
 * @param {string} node24
 * @returns {Promise<{ok: true, path: string} | {ok: false, message: string}>}
 */
export async function ensureElectron(node24) {
  if (process.env.DEWPOINT_TEST_SHELL === '1') {
    const shell = await ensureElectronShell();
    return shell.ok ? { ok: true, path: join(shell.dist, 'electron') } : shell;
  }
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    return { ok: false, message: 'the desktop window does not run as root' };
  }
  const present = binary();
  if (present) return { ok: true, path: present };
  say('downloading Electron (about 120 MB, once)');
  const done = await stream(node24, [join(folder, 'install.js')], { cwd: root, quiet: true, timeoutMs: 600_000 });
  const fetched = binary();
  if (fetched) return { ok: true, path: fetched };
  const reason =
    done.output
      .trim()
      .split('\n')
      .find((line) => line.includes('Error')) ?? 'no answer';
  return { ok: false, message: `Electron could not be downloaded (${reason})` };
}

/** @returns {string | undefined} */
function binary() {
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const path = join(folder, 'dist', readFileSync(pathFile, 'utf8'));
  return existsSync(path) ? path : undefined;
}
