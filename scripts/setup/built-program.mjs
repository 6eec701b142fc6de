// Programs that only tests need: built once on this machine and kept in the cache.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { say, sinceText } from './say.mjs';

/** @typedef {{ok: true, path: string} | {ok: false, message: string}} Found */

/**
 * @param {string} path where the program is or will be, in a folder of its own
 * @param {{name: string, article: 'a' | 'an', allowed: boolean, build: (work: string) => Promise<string>}} how
 *   `allowed`: whether it may be built here, which takes minutes and all cores. `build` gets a work folder, leaves the
 *   program and all it needs in the subfolder `bin`, and returns an error message, empty on success.
 * @returns {Promise<Found>}
 */
export async function builtProgram(path, { name, article, allowed, build }) {
  if (existsSync(path)) return { ok: true, path };
  if (process.platform !== 'linux') {
    return { ok: false, message: `${article} ${name} for the tests is built on Linux only` };
  }
  if (!allowed) {
    const how = 'run "npm test -- --setup-system engines" (some minutes, once)';
    return { ok: false, message: `no ${name} was built on this machine: ${how}` };
  }
  const folder = dirname(path);
  return withLock(`${folder}.lock`, `building ${article} ${name}`, async () => {
    if (existsSync(path)) return { ok: true, path };
    const started = Date.now();
    const work = `${folder}.part`;
    rmSync(work, { recursive: true, force: true });
    mkdirSync(join(work, 'bin'), { recursive: true });
    try {
      const message = await build(work);
      if (message) return { ok: false, message: `the ${name} could not be built: ${message}` };
      rmSync(folder, { recursive: true, force: true });
      renameSync(join(work, 'bin'), folder);
      say(`the ${name} was built in ${sinceText(started)}`);
      return { ok: true, path };
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

/**
 * For a script that is run by itself: prints the path, or says what is missing.
 * @param {(options: {allowed: boolean}) => Promise<Found>} ensure
 */
export async function printProgram(ensure) {
  const allowed = process.env.CI === 'true' || process.argv.includes('--setup-system');
  const found = await ensure({ allowed });
  if (found.ok) process.stdout.write(`${found.path}\n`);
  else say(found.message);
  process.exitCode = found.ok ? 0 : 5;
}

/** The last lines that a compiler printed. @param {string} output */
export function lastWords(output) {
  return output.trim().split('\n').slice(-12).join('\n').slice(-1500);
}
