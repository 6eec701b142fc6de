import type { ModelInfo } from '@shared/models/model-info.ts';
import { countedKinds, type LearnedReport, type LearnedRow, type TaskOutcome } from '@shared/routing/outcomes.ts';
import { shareInterval } from '@shared/comparisons/intervals.ts';
import type { Handlers } from '../server/handlers.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { harmView, keptHere } from './record/bound-harm.ts';
import { isSameVersion } from './record/count-outcomes.ts';
import { expectedWays } from './record/expected-ways.ts';
import { projectKey } from './record/outcomes-of-session.ts';
import type { RouteRecord } from './record/route-record.ts';
import type { TurnOptions } from '../settings/turn-options.ts';
import type { RunOptions } from '@shared/session/run-options.ts';

export interface RoutingCommandsOptions {
  readonly record: RouteRecord;
  readonly now: () => number;
  /** The options that a message in a project has. */
  readonly options: (projectPath: string | null, run: RunOptions) => TurnOptions;
  readonly modelInfo: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
}

/** The commands for what was learned about models. */
export function createRoutingCommands({ record, now, options, modelInfo }: RoutingCommandsOptions) {
  return {
    learned: async ({ input: { projectPath } }) => {
      const { local, modelOrder = [], routing } = options(projectPath, usualRun);
      const all = await record.outcomes();
      const first = modelOrder[0] ?? local;
      const versionOf = await record.versionsOf([first, ...all.map(({ first: { model } }) => model)]);
      const project = projectKey(projectPath);
      const limit = routing.numbers.harm ?? null;
      const place = { model: first, version: versionOf(first), project, now: now() };
      return {
        rows: learnedRows(all, project, versionOf),
        harm: limit === null ? null : harmView(keptHere(all, { ...place, limit })),
        tasks: all.length,
        pace: await record.month(),
      } satisfies LearnedReport;
    },
    forget: async ({ input }) => ({ forgotten: await record.forget(input.projectPath) }),
    expect: async ({ input: { projectPath, kind, ...asked }, signal }) => {
      const run = options(projectPath, runOptionsSchema.parse(asked));
      const { local, cloud, policy } = run;
      const versionOf = await record.versionsOf([local]);
      const info =
        cloud === null ? null : await modelInfo(cloud, signal ?? AbortSignal.timeout(3_000)).catch(() => null);
      const place = { project: projectKey(projectPath), kind, now: now(), local, cloud, versionOf, policy };
      return expectedWays(await record.outcomes(), { ...place, price: info?.price ?? null });
    },
  } satisfies Partial<Handlers['routing']>;
}

const usualRun = runOptionsSchema.parse({});

/** By the model that began, and the kind. The one that was used last comes first. */
function learnedRows(
  all: readonly TaskOutcome[],
  project: string,
  versionOf: (model: string) => string,
): readonly LearnedRow[] {
  const models = [...new Set(all.map(({ first }) => first.model))];
  const rows = models.flatMap((model) =>
    countedKinds.flatMap((kind): readonly LearnedRow[] => {
      const own = all.filter(
        ({ first, solved, ...one }) =>
          first.model === model &&
          one.kind === kind &&
          solved !== null &&
          isSameVersion(first.version, versionOf(model)),
      );
      if (own.length === 0) return [];
      const sum = (of: readonly TaskOutcome[]): number => of.reduce((total, { weight = 1 }) => total + weight, 0);
      const [tasks, solved] = [sum(own), sum(own.filter((one) => one.solved === true && !wasTakenOver(one)))];
      const by: Partial<Record<NonNullable<TaskOutcome['by']>, number>> = {};
      for (const one of own) if (one.by !== null) by[one.by] = (by[one.by] ?? 0) + (one.weight ?? 1);
      const share = { ...shareInterval(solved, tasks), tasks, solved };
      const here = own.filter((one) => one.project === project).length;
      return [{ model, kind, share, by, here, lastAt: Math.max(...own.map(({ at }) => at)) }];
    }),
  );
  return rows.sort((left, right) => right.lastAt - left.lastAt);
}

/** The cloud finished what a local model had begun. */
function wasTakenOver({ first, hasCloudTried }: TaskOutcome): boolean {
  return first.where === 'local' && hasCloudTried;
}
