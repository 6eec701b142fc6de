import { lstat, readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Comparison } from '@shared/comparisons/comparison.ts';
import type { DroppedTasks } from '@shared/comparisons/eval-tasks.ts';
import { orNoted } from '../../../lib/log.ts';

/** The names of the folders that were made for tasks and lie above these paths. */
function madeNames(home: string, paths: readonly string[]): ReadonlySet<string> {
  const names = paths.map((path) => relative(join(home, 'workspaces'), path).split(sep)[0] ?? '');
  return new Set(names.filter((name) => /^eval-[0-9a-f]{16}$/u.test(name)));
}

function pathsOf({ input: { projectPath, tasks } }: Comparison): readonly string[] {
  const ofTasks = tasks.flatMap(({ start, hidden }) => [start?.projectPath, hidden?.projectPath]);
  return [projectPath, ...ofTasks.filter((path) => path !== undefined)];
}

interface DropOptions {
  readonly home: string;
  readonly list: () => Promise<readonly Comparison[]>;
  /** The texts of comparisons that cannot be read. A folder that one of them names may be needed. */
  readonly unread: () => Promise<readonly string[]>;
  /**
   * The sizes of folders when they were made. One that its comparison removed since then counts, too. Absent: nobody is
   * told a size.
   */
  readonly sizes?: ReadonlyMap<string, number>;
}

/** The folders that were made for tasks and lie above these paths, with their sizes. */
export async function sizesOfMade(home: string, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of madeNames(home, paths)) {
    const place = join(home, 'workspaces', name);
    sizes.set(place, (await sizeOf(place)) ?? 0);
  }
  return sizes;
}

/**
 * Removes the folders that were made for tasks, apart from those that a comparison goes on with. `paths`: anything in
 * these folders. `mayRemove` is asked for the rest.
 */
export async function dropTasks(
  { home, list, unread, sizes }: DropOptions,
  paths: readonly string[],
  mayRemove: (place: string) => Promise<boolean>,
): Promise<DroppedTasks> {
  const names = madeNames(home, paths);
  const dropped = { removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 };
  if (names.size === 0) return dropped;
  const open = (await list()).filter(({ runs }) => runs.some(({ state }) => state !== 'ended'));
  const named = (await unread()).flatMap((text) => text.match(/eval-[0-9a-f]{16}/gu) ?? []);
  const needed = new Set([...madeNames(home, open.flatMap(pathsOf)), ...named]);
  for (const name of names) {
    const place = join(home, 'workspaces', name);
    const before = sizes?.get(place);
    if (!(await isThere(place))) {
      if (before === undefined) continue;
      dropped.removed += 1;
      dropped.removedBytes += before;
      continue;
    }
    // Nobody works in the folder itself, so its size is the one that it had.
    const size = sizes === undefined ? 0 : (before ?? (await sizeOf(place)) ?? 0);
    if (needed.has(name) || !(await mayRemove(place))) {
      dropped.kept += 1;
      dropped.keptBytes += size;
      continue;
    }
    await rm(place, { recursive: true, force: true });
    dropped.removed += 1;
    dropped.removedBytes += size;
  }
  return dropped;
}

/** Removes what was made for a comparison that has ended, unless it was made anew since it began: somebody else did. */
export async function dropTasksOf(options: DropOptions, comparison: Comparison): Promise<void> {
  await dropTasks(options, pathsOf(comparison), async (place) => {
    const made = await lstat(place).catch(orNoted('A folder of a task was not looked at', null));
    return made !== null && made.mtimeMs <= comparison.createdAt;
  });
}

const isThere = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) !== null;

/** Null: it is not there. What cannot be examined counts as 0, because the size is only shown. */
async function sizeOf(path: string): Promise<number | null> {
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isDirectory()) return found === null ? null : found.size;
  let total = 0;
  const names = await readdir(path).catch(orNoted('A folder of a task was not listed', []));
  for (const name of names) total += (await sizeOf(join(path, name))) ?? 0;
  return total;
}
