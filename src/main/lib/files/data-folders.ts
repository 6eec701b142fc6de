import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/**
 * The folders of Dewpoint on this machine. `home` holds state that must be kept; `cache` holds what can be downloaded
 * or made again.
 */
export interface DataFolders {
  readonly home: string;
  readonly cache: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** From `DEWPOINT_HOME` and `DEWPOINT_CACHE`, otherwise the platform's usual places. Creates nothing. */
export function findDataFolders(environment: Environment, platform: NodeJS.Platform): DataFolders {
  return { home: homeOf(environment, platform), cache: cacheOf(environment, platform) };
}

function homeOf(environment: Environment, platform: NodeJS.Platform): string {
  if (environment.DEWPOINT_HOME) return resolve(environment.DEWPOINT_HOME);
  if (platform === 'darwin') return join(personFolder(), 'Library', 'Application Support', 'dewpoint');
  if (platform === 'win32') return join(environment.APPDATA ?? join(personFolder(), 'AppData', 'Roaming'), 'dewpoint');
  return join(wholePath(environment.XDG_DATA_HOME) ?? join(personFolder(), '.local', 'share'), 'dewpoint');
}

/** The same rule as in `scripts/setup/paths.mjs`, which runs before anything is built. */
function cacheOf(environment: Environment, platform: NodeJS.Platform): string {
  if (environment.DEWPOINT_CACHE) return resolve(environment.DEWPOINT_CACHE);
  if (platform === 'darwin') return join(personFolder(), 'Library', 'Caches', 'dewpoint');
  if (platform === 'win32')
    return join(environment.LOCALAPPDATA ?? join(personFolder(), 'AppData', 'Local'), 'dewpoint', 'Cache');
  return join(wholePath(environment.XDG_CACHE_HOME) ?? join(personFolder(), '.cache'), 'dewpoint');
}

/** With an empty `HOME`, every path would be relative. */
function personFolder(): string {
  return homedir() || userInfo().homedir;
}

/** The XDG standard says to ignore a path that is not absolute. */
function wholePath(path: string | undefined): string | null {
  return path !== undefined && isAbsolute(path) ? path : null;
}
