import { lstatSync, opendirSync, readdirSync, type BigIntStats } from 'node:fs';
import { lstat, opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openChildFolder, openFolderBelow, type CallMode, type HostFolder } from '../../../lib/files/host-folder.ts';
import { identityOf, statsBelow, unknownIdentity } from '../../workspace/file-identity.ts';
import type { KnownMask } from '../../workspace/still-hidden.ts';
import type { ProtectedMount } from './protected-mounts.ts';
import { askDrive } from '../../../lib/files/served-drives.ts';

/** The protected paths of a project, and how to read the file system for them. */
export interface ProtectedPlace {
  readonly workspacePath: string;
  readonly pins: readonly ProtectedMount[];
  readonly asking: CallMode;
}

/** The state of protected paths at one moment: for each, a mark that changes when it is touched. */
export type ProtectedState = ReadonlyMap<string, string>;

const maxEntries = 500;

/**
 * The marks of everything that commands must not change, taken before and after each command. Mounts protect these
 * paths on Linux, but a project that is shared from another system may compare names differently. Every command
 * waits for this twice, so independent reads happen together.
 */
export async function readProtected(place: ProtectedPlace): Promise<ProtectedState> {
  const fixed = place.pins.filter(({ readOnly }) => readOnly);
  const marks = await askDrive(place.workspacePath, () => Promise.all(fixed.map(({ path }) => marksOf(place, path))));
  return new Map(marks.flat().slice(0, maxEntries));
}

/** The names in a folder, by both ways of reading. A folder that cannot be read counts as empty. */
async function namesOf(place: string, asking: CallMode): Promise<readonly string[]> {
  try {
    return asking === 'at-once' ? readdirSync(place) : await readdir(place);
  } catch {
    return [];
  }
}

async function statsOf(path: string, asking: CallMode): Promise<BigIntStats | null> {
  try {
    return asking === 'at-once' ? lstatSync(path, { bigint: true }) : await lstat(path, { bigint: true });
  } catch {
    return null;
  }
}

/** Paths whose marks differ, sorted. */
export function changedBetween(before: ProtectedState, after: ProtectedState): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

type Mark = readonly [path: string, mark: string];

/** The marks of one pin and everything below it, always in the same order. */
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
  readonly asking: CallMode;
}

/**
 * Reads the entries of a folder together, but its subfolders one after the other, because each needs a descriptor.
 */
async function marksIn(folder: HostFolder, { names, prefix, depth, asking }: Below): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  const found = await Promise.all(names.map(async (name) => ({ name, stats: await statsOf(folder.at(name), asking) })));
  for (const { name, stats } of found) {
    if (stats === null) continue;
    marks.push([prefix + name, `${stats.ino}:${stats.size}:${stats.mode}:${stats.ctimeNs}`]);
    if (!stats.isDirectory() || depth === 0 || marks.length >= maxEntries) continue;
    // It is gone, or closed to commands as well, because they run as the same user.
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

/**
 * The first path whose content a running container may show although it must be hidden. Null: there is none. A mount
 * covers one file at one place: Linux removes it when somebody on the host replaces that file, and it stays behind when
 * a folder above it is renamed there. `away` are paths where nothing was before.
 */
export async function firstOpen(
  masks: readonly KnownMask[],
  away: readonly string[],
  { workspacePath, asking }: Pick<ProtectedPlace, 'workspacePath' | 'asking'>,
): Promise<string | null> {
  for (const folder of new Set(masks.map(({ path }) => path.split('/').slice(0, -1).join('/'))))
    await askDrive(workspacePath, () => waitForRename(join(workspacePath, folder), asking));
  for (const { path, identity } of masks) {
    const stats = await statsBelow(workspacePath, path, asking);
    const isClosed = stats === null && identity === unknownIdentity;
    if (!isClosed && (stats === null || identityOf(stats) !== identity)) return path;
  }
  for (const path of away) if ((await statsBelow(workspacePath, path, asking)) !== null) return path;
  return null;
}

/**
 * Linux removes the mount over a file before the new file is at its place, so for a moment the old content is to be seen,
 * and only the old file. It keeps the folder locked meanwhile, and whoever reads the folder waits for that.
 */
async function waitForRename(folder: string, asking: CallMode): Promise<void> {
  try {
    if (asking === 'at-once') {
      const open = opendirSync(folder, readOnce);
      open.readSync();
      return open.closeSync();
    }
    const open = await opendir(folder, readOnce);
    await open.read().finally(() => open.close());
  } catch {
    // It is gone or closed. The files in it are looked at all the same.
  }
}

/** One call to the system reads at least one name. */
const readOnce = { bufferSize: 1 };

/** Those of the paths that do not exist. */
export async function whereNothingIs(
  paths: readonly string[],
  { workspacePath, asking }: Pick<ProtectedPlace, 'workspacePath' | 'asking'>,
): Promise<readonly string[]> {
  const absent: string[] = [];
  for (const path of paths) if ((await statsBelow(workspacePath, path, asking)) === null) absent.push(path);
  return absent;
}
