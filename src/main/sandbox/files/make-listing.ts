import { withoutIgnored } from './ignore-rules.ts';
import type { ListEntry, ListOptions, Listing } from '../sandbox.ts';

const defaultEntries = 2000;
/** How deep any list goes. */
const deepest = 64;

/** What a walk found; paths are relative to the workspace. */
export interface Walked {
  /** Sorted by path, down to `listDepth`. */
  readonly entries: readonly ListEntry[];
  /** Folders that could not be looked through whole. */
  readonly unseen: readonly string[];
  /** Texts of ignore files by the folder they count for. */
  readonly ignoreFiles: ReadonlyMap<string, string>;
}

export function listDepth({ depth = deepest }: ListOptions): number {
  return Math.max(1, Math.min(depth, deepest));
}

/** Every sandbox cuts its lists here, and says so: a list that is cut must not look like one that is whole. */
export function makeListing(folder: string, walked: Walked, options: ListOptions): Listing {
  const { entries, ignoreFiles } = walked;
  const kept = options.all === true ? entries : withoutIgnored(entries, ignoreFiles);
  const limit = options.limit ?? defaultEntries;
  const above = folder === '.' ? 0 : folder.split('/').length;
  const isTooDeep = kept.some(({ kind, path }) => kind === 'folder' && path.split('/').length - above >= deepest);
  const paths = new Set(kept.map(({ path }) => path));
  // One that is ignored is not missed; one whose name is no text is in no list.
  const unseen = walked.unseen.filter((path) => path === folder || paths.has(path) || path.includes('\uFFFD'));
  return { entries: kept.slice(0, limit), truncated: kept.length > limit || isTooDeep, unseen: unseen.toSorted() };
}
