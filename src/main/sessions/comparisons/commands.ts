import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Comparison } from '@shared/comparisons/comparison.ts';
import { madePath } from '@shared/comparisons/eval-tasks.ts';
import { AppError } from '@shared/errors.ts';
import { isSamePair, pairsToJudge } from '@shared/comparisons/pair-verdicts.ts';
import { createPushQueue, latestOf } from '../../lib/async/push-queue.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import type { Handlers } from '../../server/handlers.ts';
import { unpackCapsule, type UnpackOptions } from '../library/capsule/read-capsule.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { ComparisonRunner } from './run-comparisons.ts';
import { dropTasks, sizesOfMade } from './tasks/drop-tasks.ts';
import { tasksOfSessions } from './tasks/first-files.ts';
import { readTasks } from './tasks/read-tasks.ts';

interface ComparisonCommandsOptions extends UnpackOptions {
  readonly store: SessionStore;
  readonly calibrations: {
    readonly show: (id: string) => Promise<{
      readonly input: { readonly projectPath: string };
      readonly kept: { readonly folder: string } | null;
    }>;
  };
}

/** Handlers for comparisons: several ways do the same tasks. */
export function createComparisonCommands(
  comparisons: ComparisonRunner,
  options: ComparisonCommandsOptions,
): Handlers['comparisons'] {
  // Another evaluation may have read the same tasks, and not begun with them yet.
  const readers = new Map<string, number>();
  const sizes = new Map<string, number>();
  const count = (tasks: readonly string[], by: number): void => {
    for (const path of new Set(tasks)) readers.set(path, Math.max(0, (readers.get(path) ?? 0) + by));
  };
  return {
    create: async ({ input, signal }) => ({ id: await comparisons.create(input, signal) }),
    start: ({ input }) => comparisons.start(input.id, input.maxUsd),
    watch: ({ input, signal }) => comparisonStream(comparisons, input.id, signal),
    cancel: ({ input }) => comparisons.cancel(input.id),
    judge: async ({ input: { id, pair, verdict } }) => {
      const isThere = pairsToJudge(await comparisons.show(id)).some((one) => isSamePair(one, pair));
      if (!isThere) throw new AppError('not-found', 'The comparison has no such pair of ended runs.');
      await comparisons.judge(id, { ...pair, by: 'you', verdict, why: '', costUsd: 0 });
      return comparisons.show(id);
    },
    show: ({ input }) => comparisons.show(input.id),
    list: () => comparisons.list(),
    tasks: async ({ input: { path, repos, experiments, isHeld }, signal }) => {
      const found = await readTasks(path, {
        home: options.home,
        repos,
        experiments,
        signal,
        unpack: (from) => unpackCapsule(options, from, signal),
        projectOf: (capsule) => projectOf(options, dirname(capsule)),
      });
      const made = found.tasks.flatMap(madePath);
      if (isHeld) count(made, 1);
      for (const [place, size] of await sizesOfMade(options.home, made)) sizes.set(place, size);
      return found;
    },
    sessionTasks: ({ input, signal }) => tasksOfSessions(options.store, input, signal),
    dropTasks: async ({ input: { projectPaths } }) => {
      count(projectPaths, -1);
      const used = [...readers].flatMap(([path, by]) => (by > 0 ? [path] : []));
      const dropping = { home: options.home, list: comparisons.list, unread: comparisons.unread, sizes };
      const dropped = await dropTasks(dropping, projectPaths, async (place) =>
        used.every((path) => dirname(path) !== place),
      );
      for (const path of projectPaths) if (!used.includes(path)) sizes.delete(dirname(path));
      return dropped;
    },
  };
}

/** The project of the calibration that keeps its tasks in this folder. Null: there is none. */
async function projectOf({ calibrations }: ComparisonCommandsOptions, folder: string): Promise<string | null> {
  // Most folders are not named like a calibration.
  const found = await calibrations.show(basename(folder)).catch(() => null);
  if (found?.kept?.folder !== folder) return null;
  const { projectPath } = found.input;
  // Its rules say what must stay on this machine, so nothing begins without them.
  const looked = await askDrive(projectPath, () => stat(projectPath).catch(() => null));
  return looked === null ? null : projectPath;
}

/** The comparison now and after each change, until it no longer runs. Ending the stream stops nothing. */
async function* comparisonStream(
  { watch }: Pick<ComparisonRunner, 'watch'>,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  const queue = createPushQueue<Comparison>(signal, Number.POSITIVE_INFINITY);
  const stop = await watch(
    id,
    (comparison) => void queue.push(comparison),
    (error) => queue.end(error),
  );
  try {
    yield* latestOf(queue);
  } finally {
    stop();
    queue.end();
  }
}
