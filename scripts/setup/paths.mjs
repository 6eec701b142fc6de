import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout that these scripts belong to. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * The folder for everything that can be downloaded or made again. It is the program's own cache, so that the scripts
 * and the program share models and images.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {NodeJS.Platform} [platform]
 * @returns {string} an absolute path, which may not exist yet
 */
export function cacheDir(env = process.env, platform = process.platform) {
  if (env.DEWPOINT_CACHE) return resolve(env.DEWPOINT_CACHE);
  // An empty HOME would give a path relative to the current folder. A relative XDG_CACHE_HOME is ignored.
  const person = homedir() || userInfo().homedir;
  const xdg = env.XDG_CACHE_HOME ?? '';
  if (platform === 'darwin') return join(person, 'Library', 'Caches', 'dewpoint');
  if (platform === 'win32') {
    return join(env.LOCALAPPDATA ?? join(person, 'AppData', 'Local'), 'dewpoint', 'Cache');
  }
  return join(isAbsolute(xdg) ? xdg : join(person, '.cache'), 'dewpoint');
}
