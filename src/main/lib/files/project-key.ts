import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { isMissing } from './json-file.ts';
import { silentDrive, workOnDrive } from './served-drives.ts';

/**
 * The one path by which everything about a folder is kept: links resolved, and each name as the disk spells it (its
 * case, its Unicode form). Of a folder that is not there, the nearest one that is there is resolved. A text that is no
 * whole path stays as it is, and so does one on a drive that does not answer.
 */
export async function projectKey(path: string): Promise<string> {
  if (!isAbsolute(path)) return path;
  if ((await silentDrive(path)) !== null) return normalize(path);
  try {
    const found = await workOnDrive(path, async () => spelledAsOnDisk(await realpath(path)));
    return found === null ? normalize(path) : found.value;
  } catch {
    const above = dirname(path);
    // Normalized, so that two spellings of a folder that is gone are still one: `/a/b/` and `/a//b`.
    return above === path ? path : join(await projectKey(above), basename(path));
  }
}

/** Several at once; each path is looked up once. */
export async function projectKeys(paths: Iterable<string>): Promise<(path: string) => string> {
  const all = [...new Set(paths)];
  const found = new Map<string, string>();
  for (const path of all) found.set(path, await projectKey(path));
  return (path) => found.get(path) ?? path;
}

/**
 * A record with project folders as names, by their keys. Where two names are one project, `merge` decides: `real` had
 * the key already, `other` another name.
 */
export async function byProjectKey<T>(
  record: Readonly<Record<string, T>>,
  merge: (real: T, other: T) => T,
): Promise<Record<string, T>> {
  const keyOf = await projectKeys(Object.keys(record));
  // Those that have their key come first, so that the others join them.
  const entries = Object.entries(record).sort(([left], [right]) => rank(left, keyOf) - rank(right, keyOf));
  const keyed = new Map<string, T>();
  for (const [path, value] of entries) {
    const key = keyOf(path);
    const before = keyed.get(key);
    keyed.set(key, before === undefined ? value : merge(before, value));
  }
  return Object.fromEntries(keyed);
}

function rank(path: string, keyOf: (path: string) => string): number {
  return keyOf(path) === path ? 0 : 1;
}

/** On a disk that ignores case or Unicode form, the resolved path still has the names as they were typed. */
async function spelledAsOnDisk(path: string): Promise<string> {
  const above = dirname(path);
  if (above === path) return path;
  const folder = await spelledAsOnDisk(above);
  const name = basename(path);
  return join(folder, await nameOnDisk(folder, name));
}

async function nameOnDisk(folder: string, name: string): Promise<string> {
  if (await isOnlySpelling(folder, name)) return name;
  // A folder that cannot be listed tells no other spelling.
  const names = await readdir(folder).catch(() => null);
  if (names === null || names.includes(name)) return name;
  const here = await stat(join(folder, name));
  for (const other of names.filter((one) => folded(one) === folded(name))) {
    const found = await stat(join(folder, other)).catch(() => null);
    if (found?.ino === here.ino && found.dev === here.dev) return other;
  }
  return name;
}

/**
 * Whether a name that is there can have no other spelling: it has no other Unicode form, and in the other case it is not
 * there. A listing says the same, but of a folder with thousands of entries it takes a hundred times as long.
 */
async function isOnlySpelling(folder: string, name: string): Promise<boolean> {
  if (!/^[\u0020-\u007e]+$/u.test(name)) return false;
  const other = name.toLowerCase() === name ? name.toUpperCase() : name.toLowerCase();
  if (other === name) return true;
  return stat(join(folder, other)).then(() => false, isMissing);
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
