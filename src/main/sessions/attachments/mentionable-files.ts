import { rankFiles } from '@shared/attachments/rank-file-names.ts';
import { AppError } from '@shared/errors.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { pauses } from '../../lib/async/pauses.ts';
import type { SandboxFiles } from '../../sandbox/sandbox.ts';

/** The list of files is read again after this time, in a large project after so many times as long as it took. */
const LISTED_MS = 3000;
const LISTED_TIMES = 10;
const MAX_LISTED = 250_000;
/** Ranked at once, so that a letter typed in a large project is no pause for others. */
const RANKED_AT_ONCE = 2000;

interface Typed {
  readonly text: string;
  /** Latest first. */
  readonly recent: readonly string[];
  readonly limit: number;
}

/** The files and folders (with `/` at the end) of a workspace that fit what was typed, best first. */
export function createMentionableFiles(filesOf: (root: string) => SandboxFiles) {
  const listed = new Map<string, { until: number; readonly paths: Promise<ListedPaths> }>();
  const pathsOf = (root: string): Promise<ListedPaths> => {
    const known = listed.get(root);
    if (known !== undefined && performance.now() < known.until) return known.paths;
    // Runs to its end even if the caller has stopped, because the next typed letter needs the same list.
    const begun = performance.now();
    const paths = listPaths(filesOf(root), '.', neverAborts);
    const entry = { until: Number.POSITIVE_INFINITY, paths };
    listed.clear();
    listed.set(root, entry);
    paths.then(
      () =>
        void (entry.until = Math.max(
          begun + LISTED_MS,
          performance.now() + LISTED_TIMES * (performance.now() - begun),
        )),
      // The caller gets the error, and the next one tries again.
      () => {
        if (listed.get(root) === entry) listed.delete(root);
      },
    );
    return paths;
  };
  return async (
    root: string,
    { text, ...ranking }: Typed,
    signal: AbortSignal,
  ): Promise<{ readonly paths: readonly string[]; readonly ranked: readonly string[] }> => {
    const listed = await pathsOf(root);
    const inside = await inTypedFolder(filesOf(root), listed, { text, signal });
    return { paths: listed.paths, ranked: await rankAll([listed.paths, inside], { text, ...ranking }) };
  };
}

interface ListedPaths {
  readonly paths: readonly string[];
  /** There are more. */
  readonly isCut: boolean;
}

async function listPaths(files: SandboxFiles, folder: string, signal: AbortSignal): Promise<ListedPaths> {
  const depth = folder === '.' ? 64 : 1;
  const listing = await files.list(folder, { depth, limit: MAX_LISTED }, signal);
  if (!listing.ok) throw new AppError(listing.error.code, listing.error.message);
  const paths = listing.value.entries.flatMap(({ path, kind }) => {
    if (kind === 'file') return [path];
    return kind === 'folder' ? [`${path}/`] : [];
  });
  return { paths, isCut: listing.value.truncated };
}

/** Of a project with more files than are listed, the folder that was typed is read, too. */
async function inTypedFolder(
  files: SandboxFiles,
  { isCut }: ListedPaths,
  { text, signal }: { readonly text: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const folder = text.slice(0, Math.max(0, text.lastIndexOf('/')));
  if (!isCut || folder === '') return [];
  const inside = await listPaths(files, folder, signal).catch(() => null);
  return inside?.paths ?? [];
}

async function rankAll(lists: readonly (readonly string[])[], { text, ...ranking }: Typed): Promise<readonly string[]> {
  const pause = pauses(neverAborts);
  const best: string[] = [];
  for (const paths of lists) {
    for (let at = 0; at < paths.length; at += RANKED_AT_ONCE) {
      best.push(...rankFiles(paths.slice(at, at + RANKED_AT_ONCE), text, ranking));
      await pause();
    }
  }
  // A path may be in both.
  return rankFiles([...new Set(best)], text, ranking);
}
