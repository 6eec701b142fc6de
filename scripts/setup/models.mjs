import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { cliFile } from './build.mjs';
import { cacheDir } from './paths.mjs';
import { stream } from './run.mjs';

/**
 * Downloads a model of the catalog into the cache, with the program itself. Quick if it is already there.
 * @param {string} node24
 * @param {string} id such as `llama-cpp/smollm2-135m-instruct`
 * @returns {Promise<{ok: true} | {ok: false, message: string}>}
 */
export async function ensureModel(node24, id) {
  // Uses a home of its own: the user's may be in use, and a test run must not change it.
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-setup-'));
  try {
    const env = { ...process.env, DEWPOINT_HOME: home, DEWPOINT_CACHE: cacheDir() };
    const done = await stream(node24, [cliFile, 'models', 'pull', id], { env, timeoutMs: 900_000 });
    return done.ok ? { ok: true } : { ok: false, message: `the model ${id} could not be downloaded (see above)` };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
