import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What was done to a workspace since a moment, by whomever, as far as the file system tells. Paths with `/`. */
export interface TouchedFiles {
  /** `folder`: something in it was removed or renamed. Sorted by path; at most `mostFiles`. */
  readonly files: readonly { readonly path: string; readonly what: 'changed' | 'new' | 'gone' | 'folder' }[];
  /** False where there was too much to look at or to name. */
  readonly isWhole: boolean;
}

const mostFiles = 50;
const mostEntries = 200_000;
/** File systems stamp by a clock that ticks a few times in a hundredth of a second. */
const clockTickMs = 50;
/** Data of other programs, large and changed by the mere look at a project. */
const passedOver: ReadonlySet<string> = new Set(['.git', 'node_modules']);

interface Search {
  readonly root: string;
  readonly sinceMs: number;
  readonly found: { path: string; what: TouchedFiles['files'][number]['what'] }[];
  entries: number;
}

/**
 * Looks for what was touched at `sinceMs` (milliseconds since 1970) or later; no contents are read and no link is
 * followed. `known`: paths that were files then. Null where the folder is not there.
 */
export async function findTouchedFiles(
  root: string,
  sinceMs: number,
  known: readonly string[],
): Promise<TouchedFiles | null> {
  const search: Search = { root, sinceMs: sinceMs - clockTickMs, found: [], entries: 0 };
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

/** True for a folder that could be looked into. */
async function lookInto(search: Search, folder: string): Promise<boolean> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(join(search.root, folder), { withFileTypes: true });
  } catch {
    // Gone meanwhile, or not ours to read.
    return false;
  }
  const before = search.found.length;
  for (const entry of entries) {
    search.entries += 1;
    if (search.entries > mostEntries) return true;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (passedOver.has(entry.name)) continue;
    if (entry.isDirectory()) await lookInto(search, path);
    else await lookAt(search, path);
  }
  // A folder is touched by what comes and goes in it: where nothing came, something went.
  const isExplained = search.found.slice(before).some(({ what }) => what === 'new');
  if (!isExplained && folder !== '' && (await isTouched(search, folder))) {
    search.found.push({ path: `${folder}/`, what: 'folder' });
  }
  return true;
}

async function lookAt(search: Search, path: string): Promise<void> {
  const found = await statOf(join(search.root, path));
  if (found === null || Math.max(found.mtimeMs, found.ctimeMs) < search.sinceMs) return;
  search.found.push({ path, what: found.birthtimeMs >= search.sinceMs ? 'new' : 'changed' });
}

async function isTouched(search: Search, folder: string): Promise<boolean> {
  const found = await statOf(join(search.root, folder));
  return found !== null && found.mtimeMs >= search.sinceMs && found.birthtimeMs < search.sinceMs;
}

async function statOf(path: string): Promise<Stats | null> {
  // What is gone was not touched.
  return lstat(path).catch(() => null);
}

/** For people and models, a line each. */
export function touchedFilesText({ files, isWhole }: TouchedFiles): string {
  if (files.length === 0 && isWhole) return 'No file of the workspace was touched since it began.';
  const words = { changed: 'changed', new: 'new', gone: 'gone', folder: 'something in it was removed or renamed' };
  const lines = files.map(({ path, what }) => `  ${path}: ${words[what]}`);
  const more = isWhole ? [] : ['  and more'];
  return ['Touched in the workspace since it began, by it or by anybody:', ...lines, ...more].join('\n');
}
