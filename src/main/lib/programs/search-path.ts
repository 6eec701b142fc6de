import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { isWholePath, isWithin } from '../files/is-within.ts';
import { realPathHere, workOnDrive } from '../files/served-drives.ts';

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
  /** Where folders lead that were asked for before. Null: the drive is silent, so nothing is taken from there. */
  readonly asked?: ReadonlyMap<string, string | null>;
}

/** Folders that contain one of these are not projects either. */
const systemFolders = ['/bin', '/usr/bin', '/usr/local/bin'];

/**
 * The folders of PATH in which programs may be looked up: absolute paths outside every project. A `node_modules/.bin`
 * that npm adds always counts as part of a project.
 */
export function searchFolders(place: SearchPlace): readonly string[] {
  return namedFolders(place).filter((folder) => !isOfProject(folder, place));
}

/** The whole paths in PATH. Nothing asks the disk for them. */
export function namedFolders({ env, platform }: Pick<SearchPlace, 'env' | 'platform'>): readonly string[] {
  const delimiter = platform === 'win32' ? ';' : ':';
  const text = env.PATH ?? Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const folders = text
    .split(delimiter)
    .map((entry) => (platform === 'win32' ? entry.replaceAll('"', '') : entry))
    .filter((entry) => isWholePath(entry, platform) && !/[\\/]node_modules[\\/]\.bin[\\/]*$/iu.test(entry));
  return [...new Set(folders)];
}

/** Where folders lead. Null: the drive is silent. Never rejects. */
export async function askWhereTo(folders: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const found = folders.map(async (folder): Promise<[string, string | null]> => {
    // A folder that does not exist is its name.
    const real = await workOnDrive(folder, () => realpath(folder).catch(() => folder));
    return [folder, real?.value ?? null];
  });
  return new Map(await Promise.all(found));
}

/** The absolute path of a program by its name; null if no accepted folder of PATH has it. */
export async function findOnPath(name: string, place: SearchPlace): Promise<string | null> {
  const { platform } = place;
  // Other extensions in PATHEXT need another program to run them.
  const endings = platform === 'win32' ? ['.com', '.exe', '.bat', '.cmd'] : [''];
  const names = /\.\w+$/u.test(name) && platform === 'win32' ? [name] : endings.map((ending) => `${name}${ending}`);
  if (/[\\/]/u.test(name)) return null;
  for (const folder of searchFolders(place)) {
    for (const path of names.map((file) => pathOf(platform).join(folder, file))) {
      const real = await programAt(path);
      if (real !== null && ![path, real].some((one) => isOfProject(one, place))) return path;
    }
  }
  return null;
}

/** Where a program leads. Null: there is none, it cannot be run, or its drive is silent. Never rejects. */
export async function programAt(path: string): Promise<string | null> {
  const look = async (): Promise<string | null> => {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile() ? realpath(path) : null;
  };
  // A missing or non-executable file is no program.
  return (await workOnDrive(path, look).catch(() => null))?.value ?? null;
}

/** Whether a path is in a project, either as written or with links resolved. One on a silent drive counts as in one. */
export function isOfProject(path: string, place: Omit<SearchPlace, 'env'>): boolean {
  const { platform, homeFolder, asked } = place;
  const real = realOf(path, asked);
  if (real === null) return true;
  const mine = [homeFolder, ...(platform === 'win32' ? [] : systemFolders)];
  const own = [...mine, ...mine.map((folder) => realOf(folder, asked) ?? folder)];
  return place.projects.some((folder) => {
    const isWide = own.some((one) => isWithin(one, folder, platform));
    return [path, real].some((name) => (isWide ? isSame(name, folder, platform) : isWithin(name, folder, platform)));
  });
}

function isSame(one: string, other: string, platform: NodeJS.Platform): boolean {
  return pathOf(platform).relative(one, other) === '';
}

function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

function realOf(path: string, asked: SearchPlace['asked']): string | null {
  const known = asked?.get(path);
  return known === undefined ? realPathHere(path) : known;
}
