import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Reply } from '@shared/errors.ts';
import { globMatcher } from '@shared/safety/fences.ts';
import { callFolder } from '@shared/sandbox/call-file.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import { foldedName } from '../../lib/files/host-folder.ts';
import { identityOf } from '../workspace/file-identity.ts';
import { findHiddenFiles, type HiddenFiles, type HiddenFilesQuery } from '../workspace/find-hidden-files.ts';
import { lookAgain } from '../workspace/look-again.ts';
import type { KnownMask } from '../workspace/still-hidden.ts';

/** Says what a read-only sandbox must not show. A container would show it empty. */
export interface HiddenFromReading {
  /**
   * `path`: without links, relative to the workspace, in any spelling. `way`: the facts of what was opened, and of the
   * folders on the way, as far as they are known.
   */
  readonly has: (path: string, way: readonly Pick<BigIntStats, 'ino' | 'birthtimeNs'>[]) => boolean;
}

/**
 * `globs` are the user's masks, which also apply to later files. `masks` were found at the start. Judges by the real path
 * and by the inode, because a link, a disk that ignores case or Unicode form, or a second name leads to the same file.
 */
export function hiddenFromReading(globs: readonly string[], masks: readonly KnownMask[]): HiddenFromReading {
  const fits = [...globs, callFolder].map((glob) => globMatcher(folded(glob)));
  const paths = new Set(masks.map(({ path }) => folded(path)));
  const identities = new Set(masks.map(({ identity }) => identity));
  return {
    has: (path, way) => {
      const same = folded(path);
      const names = same.split('/');
      return (
        names.some((_, at) => paths.has(names.slice(0, at + 1).join('/'))) ||
        fits.some((fit) => fit(same)) ||
        way.some((stats) => identities.has(identityOf(stats)))
      );
    },
  };
}

/** What is hidden in a workspace at any time, for a reader that stays. It looks again, because files come and change. */
export async function watchHidden(
  query: HiddenFilesQuery,
  signal: AbortSignal,
): Promise<{ readonly hidden: () => Promise<HiddenFromReading> } & Pick<HiddenFiles, 'warnings'>> {
  const { hidden, warnings } = await lookForHidden(query, signal);
  const look = async (): Promise<HiddenFromReading> =>
    (await lookForHidden({ ...query, seeksAway: false }, neverAborts)).hidden;
  return { hidden: lookAgain(hidden, look), warnings };
}

/** What is hidden in a workspace now, for whoever reads it on the host. Rejects as `findHiddenFiles` does. */
export async function lookForHidden(
  query: HiddenFilesQuery,
  signal: AbortSignal,
): Promise<{ readonly hidden: HiddenFromReading } & Pick<HiddenFiles, 'warnings'>> {
  const { masks, warnings } = await findHiddenFiles(query, signal);
  return { hidden: hiddenFromReading(query.masks, masks), warnings };
}

function folded(path: string): string {
  return path.split('/').map(foldedName).join('/');
}

export function hiddenFailure(path: string): Reply<never> {
  return failure(
    'refused',
    `${path} is hidden from models: it holds secrets, or a rule masks it.`,
    'Go on without it.',
  );
}

/** The paths, of those that exist, that must not be shown. */
export async function hiddenAmong(
  workspacePath: string,
  paths: Iterable<string>,
  hidden: HiddenFromReading,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const known = new Map<string, Promise<BigIntStats | null>>();
  const statsOf = (path: string): Promise<BigIntStats | null> => {
    const stats = known.get(path) ?? lstat(join(workspacePath, path), { bigint: true }).catch(() => null);
    known.set(path, stats);
    return stats;
  };
  for (const path of new Set(paths)) {
    const names = path.split('/');
    const way = await Promise.all(names.map((_, at) => statsOf(names.slice(0, at + 1).join('/'))));
    if (
      hidden.has(
        path,
        way.filter((stats) => stats !== null),
      )
    )
      found.add(path);
  }
  return found;
}
