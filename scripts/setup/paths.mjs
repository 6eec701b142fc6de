import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout these scripts are part of. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Where everything lies that can be fetched or made again: the same folder as the program's own
 * cache, so that a model or an image that one of them brought is there for the other.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {NodeJS.Platform} [platform]
 * @returns {string} an absolute path, which may not exist yet
 */
export function cacheDir(env = process.env, platform = process.platform) {
  if (env.DEWPOINT_CACHE) return resolve(env.DEWPOINT_CACHE);
  // An empty HOME would make it a path from here; a relative XDG_CACHE_HOME does not count.
  const person = homedir() || userInfo().homedir;
  const xdg = env.XDG_CACHE_HOME ?? '';
  if (platform === 'darwin') return join(person, 'Library', 'Caches', 'dewpoint');
  if (platform === 'win32') {
    return join(env.LOCALAPPDATA ?? join(person, 'AppData', 'Local'), 'dewpoint', 'Cache');
  }
  return join(isAbsolute(xdg) ? xdg : join(person, '.cache'), 'dewpoint');
}
