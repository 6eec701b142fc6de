import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { isWithin } from '../files/is-within.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SearchPlace {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The person's own folder: it and what it lies in are no project, so programs below them count. */
  readonly homeFolder: string;
  /** Folders that hold files of others: projects, and the current folder. No program is taken from there. */
  readonly projects: readonly string[];
}

/** Folders that hold one of these are no project either. */
const systemFolders = ['/bin', '/usr/bin', '/usr/local/bin'];

/** Whether a path means the same wherever a program stands. */
export function isWholePath(path: string, platform: NodeJS.Platform): boolean {
  // `\folder` is on the drive of the moment.
  return platform === 'win32' ? /^(?:[a-z]:[\\/]|\\\\)/iu.test(path) : path.startsWith('/');
}

/**
 * The folders of PATH in which programs may be looked for: whole paths outside of every project. Those that npm puts
 * there (`node_modules/.bin`) are a project's wherever they lie.
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

/** The whole path of a program by its name; null where no folder of PATH that counts has it. */
export function findOnPath(name: string, place: SearchPlace): string | null {
  const { platform } = place;
  // What else PATHEXT names needs another program to run it.
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
    // What is missing or may not be run is no program.
    return false;
  }
}

/** Whether it lies in a project, by its name or, links followed, by its place. */
export function isOfProject(path: string, place: Omit<SearchPlace, 'env'>): boolean {
  const { platform, homeFolder } = place;
  const mine = [homeFolder, ...(platform === 'win32' ? [] : systemFolders)];
  const names = [path, realOf(path)];
  return place.projects.some((project) =>
    [project, realOf(project)].some((folder) => {
      const isWide = [...mine, ...mine.map(realOf)].some((own) => isWithin(own, folder, platform));
      return names.some((name) => (isWide ? isSame(name, folder, platform) : isWithin(name, folder, platform)));
    }),
  );
}

function isSame(one: string, other: string, platform: NodeJS.Platform): boolean {
  return pathOf(platform).relative(one, other) === '';
}

function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** Links followed; as it is where there is no such place. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
