import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { guardKind, mayBeAdded } from '../../src/main/safety/guarded-files.ts';

/** Maps a path in the project to a hash of its content and permissions. */
export type Snapshot = ReadonlyMap<string, string>;

// Files that tests leave behind.
const leftoverFolders: readonly string[] = ['__pycache__', '.pytest_cache', '.git', 'node_modules', '.ruff_cache'];
const isLeftover = (name: string): boolean => leftoverFolders.includes(name) || /\.pyc$|^\.coverage$/.test(name);

/** Reads every file below a folder, except for files that tests leave behind. */
export async function takeSnapshot(folder: string): Promise<Snapshot> {
  const hashes = new Map<string, string>();
  await addFolder(folder, '', hashes);
  return hashes;
}

async function addFolder(root: string, path: string, hashes: Map<string, string>): Promise<void> {
  const entries = await readdir(join(root, path), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isLeftover(entry.name)) continue;
    const below = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await addFolder(root, below, hashes);
    else hashes.set(below, await hashOf(join(root, below)));
  }
}

async function hashOf(path: string): Promise<string> {
  const { kind, mode } = await lstat(path).then(
    (found) => ({
      kind: found.isSymbolicLink() ? 'link' : found.isFile() ? 'file' : 'other',
      mode: found.isFile() ? found.mode & 0o777 : 0,
    }),
    () => ({ kind: 'gone', mode: 0 }),
  );
  const content = kind === 'link' ? await readlink(path) : kind === 'file' ? await readFile(path) : kind;
  return createHash('sha256').update(`${kind} ${mode}\0`).update(content).digest('hex');
}

/** Paths that were added, removed or changed, sorted. */
export function changedPaths(before: Snapshot, after: Snapshot): readonly string[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((path) => before.get(path) !== after.get(path)).sort();
}

/** Changed files that no task may change: tests, lock files, CI, instructions. A new test is allowed. */
export function guardViolations(before: Snapshot, after: Snapshot): readonly string[] {
  return changedPaths(before, after).filter(
    (path) => guardKind(path) !== null && (before.has(path) || !mayBeAdded(path)),
  );
}
