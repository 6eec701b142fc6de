import { readdir } from 'node:fs/promises';
import { deepestSkill, mostSkillFiles } from '@shared/safety/instruction-files.ts';
import { openFolderBelow, readFileBelow } from '../lib/files/host-folder.ts';
import { askDrive } from '../lib/files/served-drives.ts';
import type { SkillFiles } from './skill-review.ts';

/** The limits of one skill. */
export const mostSkillBytes = 4 * 1024 * 1024;
/** The folders below one place that are looked through. */
const mostFolders = 2_000;
const mostPaths = 20_000;

/**
 * The paths of all plain files below a folder, in `names` of `root`. Links are left out; so is what lies too deep. Rejects
 * with `timeout` if the drive is silent.
 */
export async function pathsBelow(root: string, names: readonly string[]): Promise<readonly string[]> {
  return askDrive(root, () => foundBelow(root, names));
}

async function foundBelow(root: string, names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const open: (readonly string[])[] = [names];
  for (let looked = 0; looked < mostFolders && found.length < mostPaths; looked += 1) {
    const next = open.shift();
    if (next === undefined) break;
    for (const { name, isFolder, isFile } of await entriesOf(root, next)) {
      if (isFile) found.push([...next, name].join('/'));
      if (isFolder && name !== '.git' && next.length - names.length < deepestSkill * 2) open.push([...next, name]);
    }
  }
  return found.slice(0, mostPaths).sort();
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly isFile: boolean;
}

async function entriesOf(root: string, names: readonly string[]): Promise<readonly Entry[]> {
  const folder = await openFolderBelow(root, names);
  if (folder === null) return [];
  try {
    const entries = await readdir(folder.place, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() }));
  } catch {
    // What cannot be listed has no skills.
    return [];
  } finally {
    await folder.close();
  }
}

/** The bytes of these files of `root` by their paths. Null: one cannot be read, or they are too many or too large. */
export async function readSkillFiles(root: string, paths: readonly string[]): Promise<SkillFiles | null> {
  if (paths.length > mostSkillFiles) return null;
  const files = new Map<string, Uint8Array>();
  let left = mostSkillBytes;
  for (const path of paths) {
    const bytes = await readFileBelow(root, path.split('/'), left);
    if (bytes === null) return null;
    left -= bytes.length;
    files.set(path, bytes);
  }
  return files;
}
