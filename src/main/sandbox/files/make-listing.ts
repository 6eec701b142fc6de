import { withoutIgnored } from './ignore-rules.ts';
import type { ListEntry, ListOptions, Listing } from '../sandbox.ts';

const defaultEntries = 2000;
/** The deepest level of any list. */
const deepest = 64;

/** The result of a walk. Paths are relative to the workspace. */
export interface WalkResult {
  /** Sorted by path, down to `listDepth`. */
  readonly entries: readonly ListEntry[];
  /** Folders that could not be read completely. */
  readonly unseen: readonly string[];
  /** The texts of ignore files, by the folder that they apply to. */
  readonly ignoreFiles: ReadonlyMap<string, string>;
}

export function listDepth({ depth = deepest }: ListOptions): number {
  return Math.max(1, Math.min(depth, deepest));
}

/** Cuts a list to its limit. All sandboxes use it, so that every cut list says so. */
export function makeListing(folder: string, walked: WalkResult, options: ListOptions): Listing {
  const { entries, ignoreFiles } = walked;
  const kept = options.all === true ? entries : withoutIgnored(entries, ignoreFiles);
  const limit = options.limit ?? defaultEntries;
  const above = folder === '.' ? 0 : folder.split('/').length;
  const isTooDeep = kept.some(({ kind, path }) => kind === 'folder' && path.split('/').length - above >= deepest);
  const paths = new Set(kept.map(({ path }) => path));
  // An ignored folder is not reported. A folder whose name is not text is in no list, so it is reported.
  const unseen = walked.unseen.filter((path) => path === folder || paths.has(path) || path.includes('\uFFFD'));
  return { entries: kept.slice(0, limit), truncated: kept.length > limit || isTooDeep, unseen: unseen.toSorted() };
}
