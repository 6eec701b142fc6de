import { counterfactualOf } from '@shared/money/counterfactual.ts';
import {
  addSplitWorkload,
  noSplitWorkload,
  splitWorkload,
  type SplitWorkload,
  withRecipeRuns,
} from '@shared/money/workload.ts';
import { recipeRunsOf } from '@shared/money/recipe-runs.ts';
import type { Price } from '@shared/money/token-cost.ts';
import type { PairRecord } from './pair-results.ts';

/** The time limit of a run, unless the options set another. */
const maxMinutes = 15;

/**
 * US dollars a million tokens, as small cloud models cost. There is no cache price, because the server does not report
 * cached tokens.
 */
export const pairPrice = { input: 0.1, output: 0.4 } as const;

/** One task under all three policies. */
export interface Trio {
  readonly task: string;
  readonly local: PairRecord;
  readonly cloud: PairRecord;
  readonly auto: PairRecord;
}

/** The totals of a way of choosing, over all tasks. For random choices, the expected values. */
export interface Outcome {
  readonly name: string;
  readonly solved: number;
  /** Tasks that all-cloud solves and this way does not. */
  readonly lost: number;
  readonly costUsd: number;
  readonly seconds: number;
}

type Pick2 = Pick<PairRecord, 'solved' | 'costUsd' | 'seconds'>;

/** Every policy beside the others. The random one has the budget of `auto`. */
export function outcomesOf(trios: readonly Trio[]): {
  readonly local: Outcome;
  readonly cloud: Outcome;
  readonly auto: Outcome;
  readonly random: Outcome;
  readonly oracle: Outcome;
  /** Knows who solves what, but still asks the cloud if nobody does. */
  readonly triesAll: Outcome;
} {
  const cloud = outcome('all cloud', trios, (trio) => trio.cloud);
  const auto = outcome('auto', trios, (trio) => trio.auto);
  const share = cloud.costUsd === 0 ? 0 : Math.min(1, auto.costUsd / cloud.costUsd);
  const mixed = (left: number, right: number): number => share * left + (1 - share) * right;
  const local = outcome('all local', trios, (trio) => trio.local);
  const random: Outcome = {
    name: `random, ${Math.round(share * 100)} % cloud`,
    solved: mixed(cloud.solved, local.solved),
    lost: mixed(cloud.lost, local.lost),
    costUsd: mixed(cloud.costUsd, local.costUsd),
    seconds: mixed(cloud.seconds, local.seconds),
  };
  return {
    local,
    cloud,
    auto,
    random,
    oracle: outcome('oracle', trios, (trio) => (trio.local.solved || !trio.cloud.solved ? trio.local : trio.cloud)),
    triesAll: outcome('oracle that tries all', trios, (trio) => (trio.local.solved ? trio.local : trio.cloud)),
  };
}

function outcome(name: string, trios: readonly Trio[], of: (trio: Trio) => Pick2): Outcome {
  const sum = (figure: (trio: Trio) => number): number => trios.reduce((total, trio) => total + figure(trio), 0);
  return {
    name,
    solved: sum((trio) => Number(of(trio).solved)),
    lost: sum((trio) => Number(trio.cloud.solved && !of(trio).solved)),
    costUsd: sum((trio) => of(trio).costUsd),
    seconds: sum((trio) => of(trio).seconds),
  };
}

/** The router's savings against all-cloud, as a share of the oracle's savings. Null: there is nothing to save. */
export function savedShare(auto: Outcome, cloud: Outcome, oracle: Outcome): number | null {
  const most = cloud.costUsd - oracle.costUsd;
  return most <= 0 ? null : (cloud.costUsd - auto.costUsd) / most;
}

/**
 * For the tasks that this machine solves alone: the share of `auto`'s model calls that stayed local. Null: there were
 * no calls.
 */
export function localShare(trios: readonly Trio[]): { readonly share: number | null; readonly calls: number } {
  const calls = trios.filter(({ local }) => local.solved).flatMap(({ auto }) => auto.calls);
  const here = calls.filter(({ where }) => where === 'local');
  return { share: calls.length === 0 ? null : here.length / calls.length, calls: calls.length };
}

/** For the tasks that this machine does not solve alone: how many of them asked the cloud under `auto`. */
export function escalatedOf(trios: readonly Trio[]): {
  readonly failed: number;
  readonly escalated: number;
  /**
   * Accepted locally although the hidden tests refuse the change. Nothing showed the fault, so the cloud was not asked.
   */
  readonly unseen: number;
} {
  const failed = trios.filter(({ local }) => !local.solved);
  const asked = failed.filter(({ auto }) => auto.calls.some(({ where }) => where === 'cloud'));
  const unseen = failed.filter(({ auto }) => !auto.solved && auto.accepted && !asked.some((one) => one.auto === auto));
  return { failed: failed.length, escalated: asked.length, unseen: unseen.length };
}

export interface Cause {
  readonly cause: string;
  readonly count: number;
  /** One of the texts that the user was shown. */
  readonly text: string;
}

/** Why work went to the cloud, most frequent first. */
export function causesOf(trios: readonly Trio[]): readonly Cause[] {
  const moves = trios.flatMap(({ auto }) => auto.moves).filter(({ to }) => to === 'cloud');
  return [...new Set(moves.map(({ cause }) => cause))]
    .map((cause) => {
      const own = moves.filter((move) => move.cause === cause);
      return { cause, count: own.length, text: own[0]?.text ?? '' };
    })
    .sort((left, right) => right.count - left.count);
}

/** An estimate, and the real value from a run. */
export interface Held {
  readonly task: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly real: number;
}

export type Pair = Pick<Trio, 'task' | 'local' | 'cloud'>;

export interface HeldFigures {
  /** US dollars in the cloud, estimated from the local run. */
  readonly cloudUsd: readonly Held[];
  /** Seconds of the local model, estimated from the cloud run. */
  readonly localSeconds: readonly Held[];
  /** Seconds of the cloud model, estimated from the local run. */
  readonly cloudSeconds: readonly Held[];
}

/**
 * Compares the counterfactual of each run with the real run of the other policy. Speeds come from the other tasks, as
 * in a home that has worked before. Tasks that needed no model are left out.
 */
export function heldOf(pairs: readonly Pair[], date: string): HeldFigures {
  const price: Price = { ...pairPrice, source: 'settings', date };
  const reference = { model: 'the cloud model', price };
  const works = pairs.map((pair) => ({ pair, local: workOf(pair.local), cloud: workOf(pair.cloud) }));
  const figures = works.map(({ pair, local, cloud }) => {
    const known = works.filter((one) => one.pair !== pair).reduce(sumOf, noSplitWorkload);
    const fromHere = counterfactualOf(local, reference, known).allCloud;
    const fromThere = counterfactualOf(cloud, reference, known).allLocal;
    const held = (said: { value: number; low: number; high: number } | null, real: number): Held[] =>
      said === null || (said.value === 0 && real === 0) ? [] : [{ task: pair.task, ...said, real }];
    return {
      cloudUsd: held(fromHere.usd, pair.cloud.costUsd),
      localSeconds: held(fromThere.seconds, local.local.totalMs / 1000),
      cloudSeconds: held(fromHere.seconds, cloud.cloud.totalMs / 1000),
    };
  });
  return {
    cloudUsd: figures.flatMap((one) => one.cloudUsd),
    localSeconds: figures.flatMap((one) => one.localSeconds),
    cloudSeconds: figures.flatMap((one) => one.cloudSeconds),
  };
}

/**
 * The same for runs under `auto` that used both places, which is what users see most. The estimates for all-cloud and
 * all-local are compared with the real runs of those policies. Only the other tasks are known to the estimate.
 */
export function mixedHeldOf(trios: readonly Trio[], date: string): Pick<HeldFigures, 'cloudUsd' | 'localSeconds'> {
  const price: Price = { ...pairPrice, source: 'settings', date };
  const reference = { model: 'the cloud model', price };
  const works = trios.map((trio) => ({ trio, local: workOf(trio.local), cloud: workOf(trio.cloud) }));
  const mixed = works.filter(({ trio: { auto } }) => new Set(auto.calls.map(({ where }) => where)).size === 2);
  const said = mixed.map(({ trio, local }) => {
    const known = works.filter((one) => one.trio !== trio).reduce(sumOf, noSplitWorkload);
    const { allCloud, allLocal } = counterfactualOf(mixedWorkOf(trio.auto), reference, known);
    const held = (one: { value: number; low: number; high: number } | null, real: number): Held[] =>
      one === null ? [] : [{ task: trio.task, ...one, real }];
    return {
      cloudUsd: held(allCloud.usd, trio.cloud.costUsd),
      localSeconds: held(allLocal.seconds, local.local.totalMs / 1000),
    };
  });
  return {
    cloudUsd: said.flatMap((one) => one.cloudUsd),
    localSeconds: said.flatMap((one) => one.localSeconds),
  };
}

/** First a local program, then one in the cloud. Reviews and advice belong to neither. */
function mixedWorkOf({ calls, status }: PairRecord): SplitWorkload {
  const asked = calls.filter(({ purpose }) => purpose !== 'review' && purpose !== 'advise');
  const runs = (['local', 'cloud'] as const).map((where) => {
    const own = asked.filter((call) => call.where === where);
    const modelMs = own.reduce((sum, { end }) => sum + end.timings.totalMs, 0);
    const written = own.reduce((sum, { end }) => sum + end.usage.output, 0);
    const recipe = 'fix-failing-tests';
    return { recipe, model: where, where, tookMs: modelMs, calls: own.length, written, modelMs };
  });
  return withRecipeRuns(splitWorkload(calls), recipeRunsOf(runs, status === 'done' ? 'done' : 'gave-up', maxMinutes));
}

/** One program did everything in one place. Failing tests judge a change. Nothing judges an answer. */
function workOf(record: PairRecord): SplitWorkload {
  const { calls, seconds, policy, status } = record;
  const where = policy === 'cloud' ? 'cloud' : 'local';
  const recipe = calls.some(({ purpose }) => purpose === 'propose') ? 'fix-failing-tests' : 'answer';
  const modelMs = calls.reduce((sum, { end }) => sum + end.timings.totalMs, 0);
  const written = calls.reduce((sum, { end }) => sum + end.usage.output, 0);
  const run = { recipe, model: where, where, tookMs: seconds * 1000, calls: calls.length, written, modelMs } as const;
  const reason = status !== 'done' ? 'gave-up' : recipe === 'answer' ? 'answered' : 'done';
  return withRecipeRuns(splitWorkload(calls), recipeRunsOf([run], reason, maxMinutes));
}

function sumOf(
  sum: SplitWorkload,
  { local, cloud }: { readonly local: SplitWorkload; readonly cloud: SplitWorkload },
): SplitWorkload {
  return addSplitWorkload(addSplitWorkload(sum, local), cloud);
}

/** The error of an estimate as a share of the real value. Infinite if the real value is 0. */
export function errorOf({ value, real }: Held): number {
  return real === 0 ? Infinity : Math.abs(value - real) / real;
}

export function isCovered({ low, high, real }: Held): boolean {
  return real >= low && real <= high;
}
