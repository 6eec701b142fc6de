import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { FileLook } from '@shared/events/tool-events.ts';
import { askDrive, hasServedDrive } from '../lib/files/served-drives.ts';

/** What paths of a workspace lead to, in the order of the paths. Leaves out those that lead to nothing. Rejects with `timeout` if the drive is silent: then nobody knows. */
export type LookAtFiles = (paths: Iterable<string>) => Promise<readonly FileLook[]>;

const mostLinks = 40;
const pathsAtOnce = 500;
/** On a drive that falls silent, each call holds a thread. */
const servedAtOnce = 4;

/**
 * Follows the links of a workspace on this machine, as its sandbox does, where the workspace is at `inside`. Reads names
 * and numbers of files only, never content.
 */
export function createLookAtFiles(root: string, inside = '/workspace'): LookAtFiles {
  return async (paths) => {
    const found: FileLook[] = [];
    const each = [...new Set(paths)];
    const most = (await hasServedDrive(root)) ? servedAtOnce : pathsAtOnce;
    for (let at = 0; at < each.length; at += most) {
      const some = each.slice(at, at + most);
      const looked = await askDrive(root, () => Promise.all(some.map((path) => bothWays({ root, inside, path }))));
      for (const look of looked.flat()) if (look !== null) found.push(look);
    }
    return [...new Map(found.map((look) => [JSON.stringify(look), look])).values()];
  };
}

interface Asked {
  readonly root: string;
  readonly inside: string;
  readonly path: string;
}

/**
 * `..` after a link: the system goes up from where the link led to. The read-only sandbox takes the words as they are.
 * Both ways count.
 */
type Way = 'system' | 'words';

/** The ways differ only where a link is met. */
async function bothWays(asked: Asked): Promise<readonly (FileLook | null)[]> {
  const met = { links: 0 };
  const bySystem = await lookAt(asked, 'system', met);
  return met.links === 0 ? [bySystem] : [bySystem, await lookAt(asked, 'words', { links: 0 })];
}

/** Counts the links in `met`, also where the path leads to nothing. */
async function lookAt(asked: Asked, way: Way, met: { links: number }): Promise<FileLook | null> {
  try {
    const real = await followed(asked, way, met);
    if (real === null) return null;
    const { ino, birthtimeMs, isFile } = await numbersOf(join(asked.root, real));
    return {
      path: asked.path,
      real: sep === '\\' ? real.replaceAll('\\', '/') : real,
      ...(isFile ? { id: `${ino}:${birthtimeMs}` } : {}),
    };
  } catch {
    // It leads to nothing.
    return null;
  }
}

/** A number of its own for every file, which stays when it is renamed. The time tells a new file with an old number. */
async function numbersOf(
  place: string,
): Promise<{ readonly ino: bigint; readonly birthtimeMs: bigint; readonly isFile: boolean }> {
  const found = await stat(place, { bigint: true });
  return { ino: found.ino, birthtimeMs: found.birthtimeMs, isFile: found.isFile() };
}

/** The path without links, relative to the workspace. Null: it leads out. */
async function followed({ root, inside, path }: Asked, way: Way, met: { links: number }): Promise<string | null> {
  const roots = [root, inside];
  const first = insideOf(path, roots);
  // A path as it is asked for is taken by its words in every sandbox.
  let left = first === null ? null : upward(first);
  let done: string[] = [];
  while (left !== null && met.links <= mostLinks) {
    const [step, ...rest] = left;
    // The system's own spelling of the names, where it does not tell some letters apart.
    if (step === undefined) return within(await realpath(root), await realpath(join(root, ...done)));
    left = rest;
    if (step === '..') {
      if (done.pop() === undefined) return null;
      continue;
    }
    const place = join(root, ...done, step);
    if (!(await lstat(place)).isSymbolicLink()) {
      done.push(step);
      continue;
    }
    met.links += 1;
    const target = insideOf(await readlink(place), roots);
    if (target === null) return null;
    if (target.isWhole) done = [];
    if (way === 'system') left = [...target.steps, ...left];
    else {
      left = upward({ steps: [...done, ...target.steps, ...left] });
      done = [];
    }
  }
  return null;
}

const isPlace = (path: string): boolean => path.startsWith('/') || isAbsolute(path);

/** The names of a path. `isWhole`: from the workspace on. Null: it leads out. */
function insideOf(
  path: string,
  roots: readonly string[],
): { readonly steps: readonly string[]; readonly isWhole: boolean } | null {
  const root = roots.find((one) => path === one || path.startsWith(`${one}/`) || path.startsWith(`${one}${sep}`));
  if (root === undefined && isPlace(path)) return null;
  const steps = (root === undefined ? path : path.slice(root.length)).split(sep === '\\' ? /[/\\]/u : '/');
  return { steps: steps.filter((step) => step !== '' && step !== '.'), isWhole: root !== undefined };
}

/** Takes `..` by the words. Null: it leads out. */
function upward({ steps }: { readonly steps: readonly string[] }): string[] | null {
  const names: string[] = [];
  for (const step of steps) {
    if (step !== '..') names.push(step);
    else if (names.pop() === undefined) return null;
  }
  return names;
}

function within(root: string, place: string): string | null {
  const way = relative(root, place);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? null : way;
}
