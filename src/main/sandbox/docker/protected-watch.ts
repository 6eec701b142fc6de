import { lstatSync, readdirSync, unlinkSync, watch, type BigIntStats, type FSWatcher } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { isGitName, openChildFolder, openFolderBelow, type Asking, type HostFolder } from '../../lib/host-folder.ts';
import type { Pin } from './pins.ts';

/** Where the protected things of a project lie, and how the system is asked for them. */
export interface ProtectedPlace {
  readonly workspacePath: string;
  readonly pins: readonly Pin[];
  readonly asking: Asking;
}

/** What is protected and how it was at one moment: path to a mark that differs when it was touched. */
export type ProtectedState = ReadonlyMap<string, string>;

const maxEntries = 500;
/** Makes git take its configuration from elsewhere; in the data of a whole repository it has no business. */
const redirect = 'commondir';

/**
 * Marks of everything that no command can change, taken before and after one: mounts hold on Linux, but names are
 * compared differently where a project is shared from another system. Every command waits for it twice, so that what
 * does not depend on each other is looked at together.
 */
export async function readProtected(place: ProtectedPlace): Promise<ProtectedState> {
  const fixed = place.pins.filter(({ readOnly }) => readOnly);
  const [names, ...marks] = await Promise.all([namesAtTop(place), ...fixed.map(({ path }) => marksOf(place, path))]);
  const state = new Map(marks.flat().slice(0, maxEntries));
  // A second `.git` in another spelling is the same one on some systems.
  for (const name of names) if (isGitName(name) && name !== '.git') state.set(name, 'there');
  if (!names.includes('.git')) state.set('.git', 'absent');
  return state;
}

async function namesAtTop({ workspacePath, asking }: ProtectedPlace): Promise<readonly string[]> {
  const top = await openFolderBelow(workspacePath, [], asking);
  const names = top === null ? [] : await namesOf(top.place, asking);
  await top?.close();
  return names;
}

/** The same by both ways of asking; a folder that cannot be read has no names, a thing that is not there no marks. */
async function namesOf(place: string, asking: Asking): Promise<readonly string[]> {
  try {
    return asking === 'at-once' ? readdirSync(place) : await readdir(place);
  } catch {
    return [];
  }
}

async function statsOf(path: string, asking: Asking): Promise<BigIntStats | null> {
  try {
    return asking === 'at-once' ? lstatSync(path, { bigint: true }) : await lstat(path, { bigint: true });
  } catch {
    return null;
  }
}

async function isTakenAway(path: string, asking: Asking): Promise<boolean> {
  try {
    if (asking === 'at-once') unlinkSync(path);
    else await unlink(path);
    return true;
  } catch {
    return false;
  }
}

/** Paths whose marks differ, sorted. */
export function changedBetween(before: ProtectedState, after: ProtectedState): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

/**
 * Takes away every file that would send git elsewhere for its configuration, in repositories that had none when they
 * were pinned; returns what it took away.
 */
export async function removeRedirects({ workspacePath, pins, asking }: ProtectedPlace): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const { path } of pins.filter((pin) => isRepository(pin.path, pins))) {
    const folder = await openFolderBelow(workspacePath, path.split('/'), asking);
    if (folder === null) continue;
    // A folder of that name is left: git makes nothing of it, and what lies below must not be gone into.
    const isGone = await isTakenAway(folder.at(redirect), asking);
    await folder.close();
    if (isGone) removed.push(`${path}/${redirect}`);
  }
  return removed;
}

/**
 * Takes such files away in the instant in which they come, where the system tells of it (it does where the container's
 * kernel is this machine's). Returns how to stop; what was seen before is taken away by the time that resolves. Looking
 * again after each command is still needed.
 */
export function watchRedirects(
  place: ProtectedPlace,
  onRemoved: (paths: readonly string[]) => void,
): () => Promise<void> {
  const { workspacePath, pins } = place;
  const watchers: FSWatcher[] = [];
  const pending = new Set<Promise<void>>();
  for (const { path } of pins.filter((pin) => isRepository(pin.path, pins))) {
    try {
      const watcher = watch(`${workspacePath}/${path}`, { persistent: false }, (_event, name) => {
        if (name !== redirect) return;
        const removal = removeRedirects(place).then((removed) => {
          if (removed.length > 0) onRemoved(removed);
          pending.delete(removal);
        });
        pending.add(removal);
      });
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // No more watches to be had: what comes is found after the command.
    }
  }
  return async () => {
    for (const watcher of watchers) watcher.close();
    await Promise.all(pending);
  };
}

function isRepository(path: string, pins: readonly Pin[]): boolean {
  return pins.some((pin) => pin.path === `${path}/config`) && !pins.some((pin) => pin.path === `${path}/${redirect}`);
}

export function redirectText(removed: readonly string[]): string {
  return `${removed.join(', ')} would make git read its configuration elsewhere and was removed`;
}

type Mark = readonly [path: string, mark: string];

/** Of one pin and all below it, always in the same order. */
async function marksOf({ workspacePath, asking }: ProtectedPlace, path: string): Promise<readonly Mark[]> {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const folder = await openFolderBelow(workspacePath, parts, asking);
  if (folder === null) return [];
  const prefix = parts.map((part) => `${part}/`).join('');
  return marksIn(folder, { names: [name], prefix, depth: 4, asking }).finally(() => folder.close());
}

interface Below {
  readonly names: readonly string[];
  readonly prefix: string;
  readonly depth: number;
  readonly asking: Asking;
}

/** Looks at the names of a folder together, and goes into its folders one after the other: each takes a descriptor. */
async function marksIn(folder: HostFolder, { names, prefix, depth, asking }: Below): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  const found = await Promise.all(names.map(async (name) => ({ name, stats: await statsOf(folder.at(name), asking) })));
  for (const { name, stats } of found) {
    if (stats === null) continue;
    marks.push([prefix + name, `${stats.ino}:${stats.size}:${stats.mode}:${stats.ctimeNs}`]);
    if (!stats.isDirectory() || depth === 0 || marks.length >= maxEntries) continue;
    const below = await openChildFolder(folder, name, asking).catch(() => null);
    if (below === null) continue;
    try {
      const children = [...(await namesOf(below.place, asking))].sort().slice(0, maxEntries);
      const inside = { names: children, prefix: `${prefix}${name}/`, depth: depth - 1, asking };
      marks.push(...(await marksIn(below, inside)));
    } finally {
      await below.close();
    }
  }
  return marks;
}
