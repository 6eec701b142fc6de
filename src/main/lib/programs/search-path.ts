import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { isWithin } from '../files/is-within.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SearchPlace {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The user's own folder. It and its parents are not projects, so programs below them count. */
  readonly homeFolder: string;
  /**
   * Folders with files of others: projects, and the current folder, each as written and with links resolved. No program is
   * taken from there. Nothing here asks the disk for them: a project on a drive that is silent would hold the process.
   */
  readonly projects: readonly string[];
}

/** Folders that contain one of these are not projects either. */
const systemFolders = ['/bin', '/usr/bin', '/usr/local/bin'];

/** Whether a path means the same from any current folder. */
export function isWholePath(path: string, platform: NodeJS.Platform): boolean {
  // On Windows, `\folder` depends on the current drive.
  return platform === 'win32' ? /^(?:[a-z]:[\\/]|\\\\)/iu.test(path) : path.startsWith('/');
}

/**
 * The folders of PATH in which programs may be looked up: absolute paths outside every project. A `node_modules/.bin`
 * that npm adds always counts as part of a project.
 */
export function searchFolders({ env, ...place }: SearchPlace): readonly string[] {
  const { platform } = place;
  const delimiter = platform === 'win32' ? ';' : ':';
  const text = env.PATH ?? Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const folders = text
    .split(delimiter)
    .map((entry) => (platform === 'win32' ? entry.replaceAll('"', '') : entry))
    .filter((entry) => isWholePath(entry, platform) && !/[\\/]node_modules[\\/]\.bin[\\/]*$/iu.test(entry));
  return [...new Set(folders)].filter((folder) => !isOfProject(folder, place));
}

/** The absolute path of a program by its name; null if no accepted folder of PATH has it. */
export function findOnPath(name: string, place: SearchPlace): string | null {
  const { platform } = place;
  // Other extensions in PATHEXT need another program to run them.
  const endings = platform === 'win32' ? ['.com', '.exe', '.bat', '.cmd'] : [''];
  const names = /\.\w+$/u.test(name) && platform === 'win32' ? [name] : endings.map((ending) => `${name}${ending}`);
  if (/[\\/]/u.test(name)) return null;
  for (const folder of searchFolders(place)) {
    for (const path of names.map((file) => pathOf(platform).join(folder, file))) {
      if (isProgram(path) && !isOfProject(path, place)) return path;
    }
  }
  return null;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // A missing or non-executable file is no program.
    return false;
  }
}

/** Whether a path is in a project, either as written or with links resolved. */
export function isOfProject(path: string, place: Omit<SearchPlace, 'env'>): boolean {
  const { platform, homeFolder } = place;
  const mine = [homeFolder, ...(platform === 'win32' ? [] : systemFolders)];
  const names = [path, realOf(path)];
  const own = [...mine, ...mine.map(realOf)];
  return place.projects.some((folder) => {
    const isWide = own.some((one) => isWithin(one, folder, platform));
    return names.some((name) => (isWide ? isSame(name, folder, platform) : isWithin(name, folder, platform)));
  });
}

function isSame(one: string, other: string, platform: NodeJS.Platform): boolean {
  return pathOf(platform).relative(one, other) === '';
}

function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** The path with links resolved; unchanged if it does not exist. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
