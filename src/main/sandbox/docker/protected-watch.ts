import { lstat, readdir, unlink } from 'node:fs/promises';
import { isGitName, openFolderBelow } from '../../lib/host-folder.ts';
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
    if (readOnly) await mark(workspacePath, path, state, 4);
    else if (isRepository(path, pins)) await mark(workspacePath, `${path}/${redirect}`, state, 0);
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

/** Takes away what must not stay; returns what it took away. */
export async function removeRedirects(workspacePath: string, changed: readonly string[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const path of changed) {
    const parts = path.split('/');
    if (parts.pop() !== redirect) continue;
    const folder = await openFolderBelow(workspacePath, parts);
    const isGone =
      folder !== null &&
      (await unlink(folder.at(redirect)).then(
        () => true,
        () => false,
      ));
    await folder?.close();
    if (isGone) removed.push(path);
  }
  return removed;
}

function isRepository(path: string, pins: readonly Pin[]): boolean {
  return pins.some((pin) => pin.path === `${path}/config`) && !pins.some((pin) => pin.path === `${path}/${redirect}`);
}

async function mark(workspacePath: string, path: string, state: Map<string, string>, depth: number): Promise<void> {
  if (state.size >= maxEntries) return;
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const folder = await openFolderBelow(workspacePath, parts);
  if (folder === null) return;
  try {
    const found = await lstat(folder.at(name), { bigint: true }).catch(() => null);
    if (found === null) return;
    state.set(path, `${found.ino}:${found.size}:${found.mode}:${found.ctimeNs}`);
    if (!found.isDirectory() || depth === 0) return;
    const below = await readdir(folder.at(name)).catch((): string[] => []);
    for (const child of below.sort()) await mark(workspacePath, `${path}/${child}`, state, depth - 1);
  } finally {
    await folder.close();
  }
}
