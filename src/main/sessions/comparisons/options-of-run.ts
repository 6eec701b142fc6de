import type { Comparison, ComparisonInput, ComparisonRun } from '@shared/comparisons/comparison.ts';
import { plannedRuns, wayOf } from '@shared/comparisons/comparison.ts';
import { mayLeave } from '@shared/comparisons/way-name.ts';
import { AppError } from '@shared/errors.ts';
import { knownUsdOf } from '@shared/money/turn-money.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { effortOption } from '@shared/session/chosen-options.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { missingThinking } from '../../agent/turn/missing-parts.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import { turnOptions } from '../../settings/turn-options.ts';
import type { RoutingSnapshot } from './routing-snapshot.ts';

/** A session that is left because its run is done again, and what it cost as far as that is known. */
export interface CutOff {
  readonly sessionId: string;
  readonly usd: number;
}

export function cutOffOf(sessionId: string, state: SessionState | null): CutOff {
  return { sessionId, usd: state === null ? 0 : knownUsdOf(state) };
}

/** Whether a run may cost money. */
export function costs({ input }: Comparison, run: ComparisonRun): boolean {
  const way = wayOf(input, run.way);
  return way === null || mayLeave(way);
}

/** The rest of the limit for all runs, cut ones too, and the judge. Null: there is no limit. An unknown cost counts as 0. */
export function moneyLeft({ input, runs, judgements, abandonedUsd = 0 }: Comparison): number | null {
  if (input.maxUsd === undefined) return null;
  const known = [...runs.map((run) => run.figures?.costUsd ?? 0), ...judgements.map((one) => one.costUsd ?? 0)];
  const spent = [...known, abandonedUsd];
  return input.maxUsd - spent.reduce((sum, one) => sum + one, 0);
}

/** The routing that the comparison started with, whatever the settings are now. Null: it was not stored. */
export function snapshotOf({ routingSnapshot }: Comparison, { way }: ComparisonRun): RoutingSnapshot | null {
  return routingSnapshot === undefined
    ? null
    : { routing: routingSnapshot.routing[way] ?? null, rules: routingSnapshot.rules };
}

export function taskOf({ tasks }: ComparisonInput, { task }: ComparisonRun): ComparisonInput['tasks'][number] {
  const found = tasks[task];
  if (found === undefined) throw new AppError('internal', `The comparison has no task ${task + 1}.`);
  return found;
}

/** Where an agent asks and suggests an answer, that one counts: nobody else gives one. */
const soonMinutes = 0.001;

export function optionsOf(
  { input, routingSnapshot }: Pick<Comparison, 'input' | 'routingSnapshot'>,
  run: ComparisonRun,
  left: number | null,
): RunOptions {
  const { check, local, cloud, seed, approve } = input;
  const way = wayOf(input, run.way);
  if (way === null) throw new AppError('internal', `The comparison has no way "${run.way}".`);
  const { effort, ...choices } = way;
  return runOptionsSchema.parse({
    check: taskOf(input, run).check ?? check,
    local,
    cloud,
    ...choices,
    ...effortOption(effort),
    ...routingSnapshot?.limits,
    // Nobody watches the run: every question has the answer that was given beforehand, and the run continues.
    approve,
    defaultAfterMinutes: soonMinutes,
    // Repeats with the same seed would give the same run.
    seed: (seed ?? 1) + run.repeat - 1,
    ...(left === null ? {} : { maxUsd: Math.max(0, left) }),
  });
}

interface ModelSource {
  readonly settings: () => Settings;
  readonly modelInfo: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
}

/** Rejects if no model of a way can think as hard as it says. Each of its runs would end before its first step. */
export async function refuseMissingThinking(
  { settings, modelInfo }: ModelSource,
  input: ComparisonInput,
  signal: AbortSignal,
): Promise<void> {
  const usual = settingsForProject(settings(), input.projectPath);
  for (const run of plannedRuns({ ...input, tasks: input.tasks.slice(0, 1), repeat: 1 })) {
    if (wayOf(input, run.way)?.effort === undefined) continue;
    const options = turnOptions(usual, optionsOf({ input }, run, null));
    const { local, cloud, modelOrder = [] } = options;
    const find = async (id: string | null): Promise<ModelInfo | null> => (id === null ? null : modelInfo(id, signal));
    const [here, there, ...others] = await Promise.all([local, cloud, ...modelOrder].map(find));
    const found = { local: here ?? null, cloud: there ?? null, others: others.filter((one) => one !== null) };
    const failure = missingThinking(options, found)?.failure ?? null;
    if (failure === null) continue;
    const hint = 'Choose another effort for this way, another model, or leave the effort out.';
    throw new AppError('bad-input', `The way ${run.way} cannot run. ${failure.message}`, { hint });
  }
}
