import runs from './counterfactual-runs.json';
import {
  uncachedPromptTokens,
  counterfactualCallRatio,
  longestSeconds,
  counterfactualCloudSeconds,
  counterfactualOutputRatio,
} from './counterfactual-calls.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { TaskNeed } from './task-needs.ts';
import type { Price } from './token-cost.ts';
import { promptTokensOf, ratesFor } from './token-cost.ts';
import type { EndedCall, SplitWorkload, Workload } from './workload.ts';
import { splitWorkload } from './workload.ts';

/** The cloud model to compare with, at its own price. */
export interface CloudReference {
  readonly model: string;
  readonly price: Price;
  /** US dollars that it cost for tasks it did alone, from the logs of this home. Absent: nobody looked. */
  readonly needs?: readonly TaskNeed[];
}

export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * What the same work would have cost elsewhere. `measured`: all of it ran there, so nothing is estimated. `guessed`:
 * from what such tasks usually take, because too few are known.
 */
export interface Elsewhere {
  readonly basis: 'measured' | 'estimated' | 'guessed';
  /** US dollars. Null: `why` says what is unknown. */
  readonly usd: Interval | null;
  readonly seconds: Interval | null;
  readonly why: string | null;
  /** How it was computed, for people. */
  readonly formula: string;
}

export interface Counterfactual {
  readonly allLocal: Elsewhere;
  readonly allCloud: Elsewhere;
}

/** Two tokenizers give token counts for the same text that differ by about this factor. */
const tokenSpread = { low: 0.8, high: 1.25 } as const;
/** Speeds on one machine differ by about this factor: long contexts and a busy machine are slower. */
const speedSpread = { low: 0.75, high: 1.5 } as const;

/** What the estimate covers: the same tokens of one step, or a run of the task, which would take its own steps. */
type Scope = 'tokens' | 'run';

/** How the real figure compares with one place alone. */
export interface Comparison {
  /** `unclear`: the real figure is within the interval. */
  readonly way: 'less' | 'more' | 'unclear';
  /** Distance from the likely value, without a sign. */
  readonly by: number;
}

/**
 * Compares honestly in both directions. `unclear` when the interval does not decide. Null: unknown, or all of it ran
 * there.
 */
export function comparedWith(
  { basis, usd, seconds }: Elsewhere,
  { local, cloud }: SplitWorkload,
): { readonly usd: Comparison | null; readonly seconds: Comparison | null } {
  const of = (there: Interval | null, real: number | null): Comparison | null => {
    if (there === null || real === null || basis === 'measured') return null;
    const way = real < there.low ? 'less' : real > there.high ? 'more' : 'unclear';
    return { way, by: Math.abs(there.value - real) };
  };
  const isPriced = local.unpricedCalls + cloud.unpricedCalls === 0;
  return {
    usd: of(usd, isPriced ? local.costUsd + local.energyUsd + cloud.costUsd : null),
    seconds: of(seconds, (local.totalMs + cloud.totalMs) / 1000),
  };
}

/**
 * For a single step, the value assumes the same tokens. For a run, it assumes as many calls as its recipes would have
 * made there, with answers of that model's usual length (`counterfactual-calls.ts`). The interval of a run is as wide
 * as real runs of the other policy were found to differ (`counterfactual-runs.json`). `known`: all calls with known
 * speeds.
 */
export function counterfactualOf(
  work: SplitWorkload,
  reference: CloudReference | null,
  known: SplitWorkload = work,
  scope: Scope = 'run',
): Counterfactual {
  return { allLocal: allLocal(work, known, scope), allCloud: allCloud(work, reference, { known, scope }) };
}

/**
 * What one call would have cost in the other place with the same tokens: in the cloud for a local call, here for a
 * cloud call.
 */
export function stepElsewhere(
  call: { readonly where: Where; readonly end: EndedCall },
  reference: CloudReference | null,
  known: SplitWorkload,
): Elsewhere {
  const { allLocal, allCloud } = counterfactualOf(splitWorkload([call]), reference, known, 'tokens');
  return call.where === 'local' ? allCloud : allLocal;
}

/** Real divided by estimated, as measured over several tasks. */
interface Found {
  readonly low: number;
  readonly high: number;
}

function widened({ value, low, high }: Interval, scope: Scope, found: Found): Interval {
  if (scope === 'tokens') return { value, low, high };
  return { value, low: Math.min(low, value * found.low), high: Math.max(high, value * found.high) };
}

const foundText = `; widened by how far real runs differed (${runs.tasks} tasks, ${runs.date})`;

const exact = (value: number): Interval => ({ value, low: value, high: value });

const add = (left: Interval, right: Interval): Interval => ({
  value: left.value + right.value,
  low: left.low + right.low,
  high: left.high + right.high,
});

function allCloud(
  { local, cloud }: SplitWorkload,
  reference: CloudReference | null,
  { known, scope }: { readonly known: SplitWorkload; readonly scope: Scope },
): Elsewhere {
  const isTakenOver = scope === 'run' && local.recipeRuns.takenOver.calls > 0;
  const isMixed = scope === 'run' && wasInBoth(local);
  const bill = exact(cloud.costUsd);
  // Alone, the cloud would have started without the handoff and read more or less by itself.
  const spent = cloud.unpricedCalls > 0 ? null : isMixed ? widened(bill, scope, runs.cloudUsd) : bill;
  if (local.calls === 0) return ranThere(spent, cloud, 'calls without a known price');
  const spoken = scope === 'tokens' ? 1 : counterfactualOutputRatio(local, known.cloud);
  const asThere = withWritten(local, spoken);
  const guessed = cloudSeconds(asThere, known);
  const share =
    scope === 'tokens' ? 1 : counterfactualCallRatio(local, guessed?.value ?? null, { ...known, there: known.cloud });
  const time = guessed === null ? null : widened(shortened(guessed, share, local), scope, runs.cloudSeconds);
  const own = exact(cloud.totalMs / 1000);
  const seconds = time === null ? null : add(isMixed ? widened(own, scope, runs.cloudSeconds) : own, time);
  if (reference === null) {
    const why = 'no cloud model with a price is set up';
    return { basis: 'estimated', usd: null, seconds, why, formula: 'nothing was computed' };
  }
  const { price } = reference;
  const guess = widened(times(priced(asThere, price), share), scope, runs.cloudUsd);
  const formula =
    `${cloud.calls > 0 ? 'the bill of the cloud calls + ' : ''}(new tokens × input + cached tokens × cache read ` +
    `+ tokens written × output) at the price of ${reference.model} (${price.source}, ${price.date})${writtenText(spoken)}${shareText(share)}; ` +
    `from: everything cached that could be, 20% fewer tokens; to: nothing cached, 25% more tokens${scope === 'run' ? foundText : ''}${isTakenOver ? takenOverText.cloud : ''}`;
  const why = spent === null ? 'calls without a known price' : null;
  return { basis: 'estimated', usd: spent === null ? null : add(spent, guess), seconds, why, formula };
}

/**
 * Whether one task was worked on in both places. Then the cost in one place is not what that place alone would have
 * cost.
 */
function wasInBoth({ recipeRuns: { takenOver, ranInBoth, unsolvedInBoth } }: Workload): boolean {
  return takenOver.calls + ranInBoth.calls + unsolvedInBoth.calls > 0;
}

const takenOverText = {
  cloud: '; attempts on this machine before the cloud took over are not counted',
  local: '; where the cloud took over, this machine had given up: alone it would have ended there, without a result',
} as const;

function withWritten(work: Workload, share: number): Workload {
  return { ...work, usage: { ...work.usage, output: work.usage.output * share } };
}

/** Prices each call at the rates for the average prompt size. */
function priced(local: Workload, price: Price): Interval {
  const prompt = promptTokensOf(local.usage);
  const rates = ratesFor(prompt / local.calls, price);
  const read = rates.cacheRead ?? rates.input;
  const fresh = rates.cacheWrite ?? rates.input;
  const { output } = local.usage;
  const each = (price.perCall ?? 0) * local.calls;
  const reused = Math.min(local.reused, prompt);
  const of = (kept: number, freshRate: number): number =>
    ((prompt - kept) * freshRate + kept * read + output * rates.output) * 1e-6;
  const value = of(reused, fresh);
  // Each call in a row can reuse all but its last turn; the first one reuses nothing.
  const most = Math.max(reused, prompt - prompt / local.calls);
  const low = Math.min(value, of(most, Math.min(fresh, rates.input))) * tokenSpread.low;
  const high = Math.max(value, of(0, Math.max(fresh, rates.input))) * tokenSpread.high;
  return { value: value + each, low: low + each, high: high + each };
}

/** Estimated from timed cloud calls; null when there are none. */
function cloudSeconds(local: Workload, known: SplitWorkload): Interval | null {
  const value = counterfactualCloudSeconds(local, known);
  if (value === null) return null;
  const low = value * speedSpread.low * tokenSpread.low;
  return { value, low, high: value * speedSpread.high * tokenSpread.high };
}

/** The seconds for a share of its calls, within the time limits of its recipes. */
function shortened(guess: Interval, share: number, work: Workload): Interval {
  if (share === 1) return guess;
  const most =
    guess.value === 0 ? 1 : Math.min(1, longestSeconds(work, guess.value) / Math.max(1e-9, guess.value * share));
  return times(guess, share * most);
}

/** Says how much longer or shorter answers to recipes are there. Empty when there is no difference. */
function writtenText(share: number): string {
  if (Math.abs(share - 1) < 0.005) return '';
  return `, tokens written times ${share.toFixed(2)} for the usual length of answers to recipes there`;
}

/** Says how many more or fewer questions recipes would ask there. Empty when there is no difference. */
function shareText(share: number): string {
  if (Math.abs(share - 1) < 0.005) return '';
  return `, times ${share.toFixed(2)} for the questions that recipes have time for there`;
}

function allLocal({ local, cloud }: SplitWorkload, known: SplitWorkload, scope: Scope): Elsewhere {
  const electricity = local.unmeteredCalls + local.unpricedEnergyCalls > 0 ? null : exact(local.energyUsd);
  if (cloud.calls === 0) {
    const why = local.unmeteredCalls > 0 ? unmetered : noPrice;
    // Local tokens are free. The cost of electricity is added when it is known.
    const there = ranThere(electricity ?? exact(local.costUsd), local, '');
    if (electricity === null) return { ...there, why };
    if (local.estimatedEnergyCalls === 0) return there;
    return { ...there, basis: 'estimated', formula: 'all of it ran there; electricity: energy.watts × the time' };
  }
  const { read, written } = known.local;
  if (read.ms === 0 || written.ms === 0 || read.tokens === 0) {
    const why = 'no local call was timed, so the speed of this machine is unknown';
    return { basis: 'estimated', usd: null, seconds: null, why, formula: 'nothing was computed' };
  }
  const prompt = promptTokensOf(cloud.usage);
  const anew = uncachedPromptTokens(cloud, known.local);
  const spoken = scope === 'tokens' ? 1 : counterfactualOutputRatio(cloud, known.local);
  const ms = (tokens: number): number =>
    (tokens * read.ms) / read.tokens + (cloud.usage.output * spoken * written.ms) / written.tokens;
  const value = ms(anew) / 1000;
  const low = (ms(prompt / cloud.calls) / 1000) * speedSpread.low * tokenSpread.low;
  const high = (ms(prompt) / 1000) * speedSpread.high * tokenSpread.high;
  const share = scope === 'tokens' ? 1 : counterfactualCallRatio(cloud, value, { ...known, there: known.local });
  const guess = widened(shortened({ value, low, high }, share, cloud), scope, runs.localSeconds);
  const own = exact(local.totalMs / 1000);
  const isMixed = scope === 'run' && (wasInBoth(local) || wasInBoth(cloud));
  const seconds = add(isMixed ? widened(own, scope, runs.localSeconds) : own, guess);
  const perSecond = usdPerSecond(known.local);
  const usd = electricity === null || perSecond === null ? null : add(electricity, times(guess, perSecond));
  const formula =
    `${local.calls > 0 ? 'the time of the local calls + ' : ''}new tokens (${Math.round((anew / Math.max(1, prompt)) * 100)}% of the prompts) ÷ ` +
    `${speedText(read)} + tokens written ÷ ${speedText(written)}, as measured on this machine${writtenText(spoken)}${shareText(share)}${scope === 'run' ? foundText : ''}${scope === 'run' && cloud.recipeRuns.takenOver.calls > 0 ? takenOverText.local : ''}; ` +
    'money: that time at the electricity of the local calls';
  return {
    basis: 'estimated',
    usd,
    seconds,
    why: usd === null ? (known.local.wattHours > 0 ? noPrice : unmetered) : null,
    formula,
  };
}

function times({ value, low, high }: Interval, factor: number): Interval {
  return { value: value * factor, low: low * factor, high: high * factor };
}

const unmetered = 'electricity was not metered; set energy.watts or connect a meter';
const noPrice = 'electricity has no price; set energy.usdPerKwh';

function usdPerSecond({ energyUsd, totalMs, unmeteredCalls, unpricedEnergyCalls }: Workload): number | null {
  return totalMs === 0 || unmeteredCalls + unpricedEnergyCalls > 0 ? null : (energyUsd * 1000) / totalMs;
}

function speedText({ tokens, ms }: Workload['read']): string {
  return `${((tokens * 1000) / ms).toFixed(1)} tokens a second`;
}

function ranThere(usd: Interval | null, work: Workload, otherwise: string): Elsewhere {
  const seconds = exact(work.totalMs / 1000);
  return { basis: 'measured', usd, seconds, why: usd === null ? otherwise : null, formula: 'all of it ran there' };
}
