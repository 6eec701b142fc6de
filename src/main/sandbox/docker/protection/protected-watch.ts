import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { openChildFolder, openFolderBelow, type CallMode, type HostFolder } from '../../../lib/files/host-folder.ts';
import type { ProtectedMount } from './protected-mounts.ts';

/** Where the protected things of a project lie, and how the system is asked for them. */
export interface ProtectedPlace {
  readonly workspacePath: string;
  readonly pins: readonly ProtectedMount[];
  readonly asking: CallMode;
}

/** What is protected and how it was at one moment: path to a mark that differs when it was touched. */
export type ProtectedState = ReadonlyMap<string, string>;

const maxEntries = 500;

/**
 * Marks of everything that no command can change, taken before and after one: mounts hold on Linux, but names are
 * compared differently where a project is shared from another system. Every command waits for it twice, so that what
 * does not depend on each other is looked at together.
 */
export async function readProtected(place: ProtectedPlace): Promise<ProtectedState> {
  const fixed = place.pins.filter(({ readOnly }) => readOnly);
  const marks = await Promise.all(fixed.map(({ path }) => marksOf(place, path)));
  return new Map(marks.flat().slice(0, maxEntries));
}

/** The same by both ways of asking; a folder that cannot be read has no names, a thing that is not there no marks. */
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
  readonly asking: CallMode;
}

/** Looks at the names of a folder together, and goes into its folders one after the other: each takes a descriptor. */
async function marksIn(folder: HostFolder, { names, prefix, depth, asking }: Below): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  const found = await Promise.all(names.map(async (name) => ({ name, stats: await statsOf(folder.at(name), asking) })));
  for (const { name, stats } of found) {
    if (stats === null) continue;
    marks.push([prefix + name, `${stats.ino}:${stats.size}:${stats.mode}:${stats.ctimeNs}`]);
    if (!stats.isDirectory() || depth === 0 || marks.length >= maxEntries) continue;
    // It is gone, or closed to commands as well: they run as the same user.
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
