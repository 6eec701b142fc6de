import type { Energy, Timings } from '@shared/events/call-report.ts';
import {
  addRecipeRuns,
  type RecipeRunsByEnd,
  recipeRunsInTurn,
  type EndedRecipeRun,
  noRecipeRuns,
} from './recipe-runs.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { Usage } from './token-cost.ts';
import { addUsage, noUsage, promptTokensOf } from './token-cost.ts';
import type { SessionState } from '@shared/session/session-state.ts';

/** Sums over calls in one place, so that a day adds up like a step. */
export interface Workload {
  readonly calls: number;
  readonly usage: Usage;
  /** Prompt tokens that were cached from an earlier call. */
  readonly reused: number;
  /** Tokens and milliseconds of calls that this machine's engine timed. */
  readonly read: { readonly tokens: number; readonly ms: number };
  readonly written: { readonly tokens: number; readonly ms: number };
  readonly totalMs: number;
  readonly costUsd: number;
  readonly unpricedCalls: number;
  readonly wattHours: number;
  /** Electricity cost of the metered calls; 0 when no price is set. */
  readonly energyUsd: number;
  /** Calls with unknown energy, and calls whose electricity has no price. */
  readonly unmeteredCalls: number;
  readonly unpricedEnergyCalls: number;
  /** Calls whose energy is estimated from the watts in the settings. */
  readonly estimatedEnergyCalls: number;
  /** The calls that recipes made, by how their runs ended. */
  readonly recipeRuns: RecipeRunsByEnd;
}

const nothing = { tokens: 0, ms: 0 };

export const noWorkload: Workload = {
  calls: 0,
  usage: noUsage,
  reused: 0,
  read: nothing,
  written: nothing,
  totalMs: 0,
  costUsd: 0,
  unpricedCalls: 0,
  wattHours: 0,
  energyUsd: 0,
  unmeteredCalls: 0,
  unpricedEnergyCalls: 0,
  estimatedEnergyCalls: 0,
  recipeRuns: noRecipeRuns,
};

/** The end of one call, as its event holds it. */
export interface EndedCall {
  readonly usage: Usage;
  readonly evaluatedTokens: number | null;
  readonly timings: Timings;
  readonly costUsd: number | null;
  readonly energy?: Energy | undefined;
}

export function workloadOf({ usage, evaluatedTokens, timings, costUsd, energy }: EndedCall): Workload {
  const prompt = promptTokensOf(usage);
  const { prefillMs, decodeMs } = timings;
  return {
    calls: 1,
    usage,
    reused: evaluatedTokens === null ? usage.cacheRead : Math.max(0, prompt - evaluatedTokens),
    read: prefillMs === null || !evaluatedTokens ? nothing : { tokens: evaluatedTokens, ms: prefillMs },
    written: decodeMs === null || usage.output === 0 ? nothing : { tokens: usage.output, ms: decodeMs },
    totalMs: timings.totalMs - timings.queuedMs,
    costUsd: costUsd ?? 0,
    unpricedCalls: costUsd === null ? 1 : 0,
    wattHours: energy?.wattHours ?? 0,
    energyUsd: energy?.usd ?? 0,
    unmeteredCalls: energy === undefined ? 1 : 0,
    unpricedEnergyCalls: energy !== undefined && energy.usd === null ? 1 : 0,
    estimatedEnergyCalls: energy?.source === 'settings' ? 1 : 0,
    recipeRuns: noRecipeRuns,
  };
}

export function addWorkload(left: Workload, right: Workload): Workload {
  const both = (first: Workload['read'], second: Workload['read']): Workload['read'] => ({
    tokens: first.tokens + second.tokens,
    ms: first.ms + second.ms,
  });
  return {
    calls: left.calls + right.calls,
    usage: addUsage(left.usage, right.usage),
    reused: left.reused + right.reused,
    read: both(left.read, right.read),
    written: both(left.written, right.written),
    totalMs: left.totalMs + right.totalMs,
    costUsd: left.costUsd + right.costUsd,
    unpricedCalls: left.unpricedCalls + right.unpricedCalls,
    wattHours: left.wattHours + right.wattHours,
    energyUsd: left.energyUsd + right.energyUsd,
    unmeteredCalls: left.unmeteredCalls + right.unmeteredCalls,
    unpricedEnergyCalls: left.unpricedEnergyCalls + right.unpricedEnergyCalls,
    estimatedEnergyCalls: left.estimatedEnergyCalls + right.estimatedEnergyCalls,
    recipeRuns: addRecipeRuns(left.recipeRuns, right.recipeRuns),
  };
}

/** What was used on this machine and in the cloud. */
export interface SplitWorkload {
  readonly local: Workload;
  readonly cloud: Workload;
}

export function splitWorkload(
  calls: Iterable<{ readonly where: Where; readonly end: EndedCall | null }>,
): SplitWorkload {
  let local = noWorkload;
  let cloud = noWorkload;
  for (const { where, end } of calls) {
    if (end === null) continue;
    if (where === 'local') local = addWorkload(local, workloadOf(end));
    else cloud = addWorkload(cloud, workloadOf(end));
  }
  return { local, cloud };
}

export const noSplitWorkload: SplitWorkload = { local: noWorkload, cloud: noWorkload };

export function addSplitWorkload(left: SplitWorkload, right: SplitWorkload): SplitWorkload {
  return { local: addWorkload(left.local, right.local), cloud: addWorkload(left.cloud, right.cloud) };
}

/** Adds what the recipe runs among these calls say about the number of calls elsewhere. */
export function withRecipeRuns(work: SplitWorkload, ended: readonly EndedRecipeRun[]): SplitWorkload {
  return ended.reduce<SplitWorkload>(
    (sum, { where, recipeRuns }) =>
      addSplitWorkload(sum, { ...noSplitWorkload, [where]: { ...noWorkload, recipeRuns } }),
    work,
  );
}

/** The work of a session, or of one of its turns, with its recipe runs. */
export function sessionWork(
  { turns, steps }: Pick<SessionState, 'turns' | 'steps'>,
  turnId: string | null = null,
): SplitWorkload {
  const isMeant = (id: string | null): boolean => turnId === null || id === turnId;
  const own = steps.filter((step) => isMeant(step.turnId));
  const ended = turns.filter(({ id }) => isMeant(id)).flatMap((turn) => recipeRunsInTurn(turn, own));
  return withRecipeRuns(splitWorkload(own), ended);
}
