import { watch, type FSWatcher } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { isGitName, openChildFolder, openFolderBelow, type HostFolder } from '../../lib/host-folder.ts';
import type { Pin } from './pins.ts';

/** What is protected and how it was at one moment: path to a mark that differs when it was touched. */
export type ProtectedState = ReadonlyMap<string, string>;

const maxEntries = 500;
/** Makes git take its configuration from elsewhere; in the data of a whole repository it has no business. */
const redirect = 'commondir';

/**
 * Marks of everything that no command can change, taken before and after one: mounts hold on Linux, but names are
 * compared differently where a project is shared from another system. Costs about a millisecond.
 */
export async function readProtected(workspacePath: string, pins: readonly Pin[]): Promise<ProtectedState> {
  const state = new Map<string, string>();
  for (const { path, readOnly } of pins) {
    if (!readOnly) continue;
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    const folder = await openFolderBelow(workspacePath, parts);
    if (folder === null) continue;
    await mark(folder, { path, name, depth: 4 }, state).finally(() => folder.close());
  }
  const top = await openFolderBelow(workspacePath, []);
  const names = top === null ? [] : await readdir(top.place).catch((): string[] => []);
  await top?.close();
  // A second `.git` in another spelling is the same one on some systems.
  for (const name of names) if (isGitName(name) && name !== '.git') state.set(name, 'there');
  if (!names.includes('.git')) state.set('.git', 'absent');
  return state;
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
export async function removeRedirects(workspacePath: string, pins: readonly Pin[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const { path } of pins.filter((pin) => isRepository(pin.path, pins))) {
    const folder = await openFolderBelow(workspacePath, path.split('/'));
    if (folder === null) continue;
    // A folder of that name is left: git makes nothing of it, and what lies below must not be gone into.
    const isGone = await unlink(folder.at(redirect)).then(
      () => true,
      () => false,
    );
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
  workspacePath: string,
  pins: readonly Pin[],
  onRemoved: (paths: readonly string[]) => void,
): () => Promise<void> {
  const watchers: FSWatcher[] = [];
  const pending = new Set<Promise<void>>();
  for (const { path } of pins.filter((pin) => isRepository(pin.path, pins))) {
    try {
      const watcher = watch(`${workspacePath}/${path}`, { persistent: false }, (_event, name) => {
        if (name !== redirect) return;
        const removal = removeRedirects(workspacePath, pins).then((removed) => {
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

async function mark(
  folder: HostFolder,
  { path, name, depth }: { readonly path: string; readonly name: string; readonly depth: number },
  state: Map<string, string>,
): Promise<void> {
  if (state.size >= maxEntries) return;
  const found = await lstat(folder.at(name), { bigint: true }).catch(() => null);
  if (found === null) return;
  state.set(path, `${found.ino}:${found.size}:${found.mode}:${found.ctimeNs}`);
  if (!found.isDirectory() || depth === 0) return;
  const below = await openChildFolder(folder, name).catch(() => null);
  if (below === null) return;
  try {
    const names = await readdir(below.place).catch((): string[] => []);
    for (const child of names.sort())
      await mark(below, { path: `${path}/${child}`, name: child, depth: depth - 1 }, state);
  } finally {
    await below.close();
  }
}
