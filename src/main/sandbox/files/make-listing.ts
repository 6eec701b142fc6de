import { inSlices, pauses } from '../../lib/async/pauses.ts';
import { createIgnoreRules, type IgnoreFiles } from './ignore-rules.ts';
import type { ListEntry, ListOptions, Listing } from '../sandbox.ts';

const defaultEntries = 2000;
/** The deepest level of any list. */
const deepest = 64;

/** The result of a walk. Paths are relative to the workspace. */
export interface WalkResult {
  /** In any order, down to `listDepth`. */
  readonly entries: readonly ListEntry[];
  /** Folders that could not be read completely. */
  readonly unseen: readonly string[];
  /** The texts of ignore files, by the folder that they apply to. */
  readonly ignoreFiles: IgnoreFiles;
  /** The walk ended at its limit. */
  readonly isCut?: boolean;
}

export function listDepth({ depth = deepest }: ListOptions): number {
  return Math.max(1, Math.min(depth, deepest));
}

/**
 * Sorts a list and cuts it to its limit. All sandboxes use it, so that every cut list says so. Other work goes on in
 * between. Rejects on abort.
 */
export async function makeListing(
  folder: string,
  walked: WalkResult,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Listing> {
  const pause = pauses(signal);
  const rules = createIgnoreRules();
  if (options.all !== true) for (const [place, text] of walked.ignoreFiles) rules.add(place, text);
  const above = folder === '.' ? 0 : folder.split('/').length;
  const limit = options.limit ?? defaultEntries;
  const unseenPaths = new Set(walked.unseen);
  const paths = new Set<string>();
  let kept: readonly ListEntry[] = [];
  let count = 0;
  let isTooDeep = false;
  let waiting: ListEntry[] = [];
  // Of a million entries, only the first of the list are sorted and held.
  const sortIn = async (): Promise<void> => {
    kept = (await sortedByPath([...kept, ...waiting], pause)).slice(0, limit);
    waiting = [];
  };
  for await (const some of inSlices(walked.entries, signal)) {
    for (const entry of some) {
      const { kind, path } = entry;
      if (kind === 'folder' ? rules.ignoresFolder(path) : rules.ignoresFile(path)) continue;
      count += 1;
      // Of many more than wanted, most come after the last that is kept, and need no sorting.
      const last = kept.length < limit ? undefined : kept.at(-1);
      if (last === undefined || path < last.path) waiting.push(entry);
      if (unseenPaths.has(path)) paths.add(path);
      isTooDeep ||= kind === 'folder' && path.split('/').length - above >= deepest;
    }
    if (waiting.length > limit + sortedAtOnce) await sortIn();
  }
  await sortIn();
  // An ignored folder is not reported. A folder whose name is not text is in no list, so it is reported.
  const unseen = walked.unseen.filter((path) => path === folder || paths.has(path) || path.includes('\uFFFD'));
  const truncated = count > limit || isTooDeep || walked.isCut === true;
  return { entries: kept, truncated, unseen: unseen.toSorted() };
}

/** A sort of more would be felt as a pause. */
const sortedAtOnce = 4096;
const mergedAtOnce = 512;

async function sortedByPath(entries: readonly ListEntry[], pause: () => Promise<void>): Promise<readonly ListEntry[]> {
  let parts: (readonly ListEntry[])[] = [];
  for (let at = 0; at < entries.length; at += sortedAtOnce) {
    parts.push(entries.slice(at, at + sortedAtOnce).sort((left, right) => (left.path < right.path ? -1 : 1)));
    await pause();
  }
  while (parts.length > 1) {
    const longer: (readonly ListEntry[])[] = [];
    for (let at = 0; at < parts.length; at += 2) longer.push(await merged(parts[at] ?? [], parts[at + 1] ?? [], pause));
    parts = longer;
  }
  return parts[0] ?? [];
}

async function merged(
  left: readonly ListEntry[],
  right: readonly ListEntry[],
  pause: () => Promise<void>,
): Promise<readonly ListEntry[]> {
  const all: ListEntry[] = [];
  let at = 0;
  for (const [index, entry] of left.entries()) {
    if (index % mergedAtOnce === 0) await pause();
    for (let next = right[at]; next !== undefined && next.path < entry.path; next = right[at]) {
      all.push(next);
      at += 1;
    }
    all.push(entry);
  }
  for (const entry of right.slice(at)) all.push(entry);
  return all;
}
