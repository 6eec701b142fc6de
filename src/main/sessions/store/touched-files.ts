import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { callFolder } from '@shared/sandbox/call-file.ts';
import { workOnDrive } from '../../lib/files/served-drives.ts';

/** Changes to a workspace since a moment, by anybody, as far as the file system shows them. Paths with `/`. */
export interface TouchedFiles {
  /** `folder`: something in it was removed or renamed. Sorted by path. At most `mostFiles`. */
  readonly files: readonly { readonly path: string; readonly what: 'changed' | 'new' | 'gone' | 'folder' }[];
  /** False if there was too much to search or to list. */
  readonly isWhole: boolean;
}

const mostFiles = 50;
const mostEntries = 200_000;
/** File systems take timestamps from a clock that ticks every few milliseconds, those of some drives every two seconds. */
const clockTickMs = 50;
const slowTickMs = 2_000;

/** Whether a file with this time may have been touched at a moment or later. Both in milliseconds since 1970. */
export function isTouchedSince(touchedMs: number, sinceMs: number): boolean {
  return touchedMs >= sinceMs - (touchedMs % 1_000 === 0 ? slowTickMs : clockTickMs);
}
/** Large folders of other programs, which change even when a project is only looked at. */
const passedOver: ReadonlySet<string> = new Set(['.git', 'node_modules']);

interface Search {
  readonly root: string;
  readonly sinceMs: number;
  readonly found: { path: string; what: TouchedFiles['files'][number]['what'] }[];
  entries: number;
}

/**
 * Finds what was touched at `sinceMs` (milliseconds since 1970) or later. Reads no contents and follows no link.
 * `known`: paths that were files at that time. Null if the folder does not exist, or its drive is silent.
 */
export async function findTouchedFiles(
  root: string,
  sinceMs: number,
  known: readonly string[],
): Promise<TouchedFiles | null> {
  return (await workOnDrive(root, () => findTouched(root, sinceMs, known)))?.value ?? null;
}

async function findTouched(root: string, sinceMs: number, known: readonly string[]): Promise<TouchedFiles | null> {
  const search: Search = { root, sinceMs, found: [], entries: 0 };
  if (!(await lookInto(search, ''))) return null;
  for (const path of known) {
    if ((await statOf(join(root, path))) === null) search.found.push({ path, what: 'gone' });
  }
  const sorted = search.found.sort((left, right) => (left.path < right.path ? -1 : 1));
  return {
    files: sorted.slice(0, mostFiles),
    isWhole: sorted.length <= mostFiles && search.entries <= mostEntries,
  };
}

/** True if the folder could be read. */
async function lookInto(search: Search, folder: string): Promise<boolean> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(join(search.root, folder), { withFileTypes: true });
  } catch {
    // It is gone by now, or Dewpoint may not read it.
    return false;
  }
  const before = search.found.length;
  for (const entry of entries) {
    search.entries += 1;
    if (search.entries > mostEntries) return true;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (passedOver.has(entry.name) || path === callFolder) continue;
    if (entry.isDirectory()) await lookInto(search, path);
    else await lookAt(search, path);
  }
  // A folder is touched when entries come or go. If nothing came, something went.
  const isExplained = search.found.slice(before).some(({ what }) => what === 'new');
  if (!isExplained && folder !== '' && (await isTouched(search, folder))) {
    search.found.push({ path: `${folder}/`, what: 'folder' });
  }
  return true;
}

async function lookAt(search: Search, path: string): Promise<void> {
  const found = await statOf(join(search.root, path));
  if (found === null || !isTouchedSince(Math.max(found.mtimeMs, found.ctimeMs), search.sinceMs)) return;
  search.found.push({ path, what: isTouchedSince(found.birthtimeMs, search.sinceMs) ? 'new' : 'changed' });
}

async function isTouched(search: Search, folder: string): Promise<boolean> {
  const found = await statOf(join(search.root, folder));
  if (found === null) return false;
  return isTouchedSince(found.mtimeMs, search.sinceMs) && !isTouchedSince(found.birthtimeMs, search.sinceMs);
}

async function statOf(path: string): Promise<Stats | null> {
  // A file that is gone counts as not touched.
  return lstat(path).catch(() => null);
}

/** For people and models, one line each. */
export function touchedFilesText({ files, isWhole }: TouchedFiles): string {
  if (files.length === 0 && isWhole) return 'No file of the workspace was touched since it began.';
  const words = { changed: 'changed', new: 'new', gone: 'gone', folder: 'something in it was removed or renamed' };
  const lines = files.map(({ path, what }) => `  ${path}: ${words[what]}`);
  const more = isWhole ? [] : ['  and more'];
  return ['Touched in the workspace since it began, by it or by anybody:', ...lines, ...more].join('\n');
}
