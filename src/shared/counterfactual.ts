import runs from './counterfactual-runs.json';
import type { Energy, Timings } from './call-report.ts';
import type { Where } from './models.ts';
import type { Price, Usage } from './money.ts';
import { addUsage, noUsage, promptTokensOf, ratesFor } from './money.ts';

/** What some calls in one place used: sums, so that a day adds up like a step. */
export interface Workload {
  readonly calls: number;
  readonly usage: Usage;
  /** Prompt tokens that the engine or the service had from the call before. */
  readonly reused: number;
  /** Tokens and milliseconds of the calls that the engine of this machine timed. */
  readonly read: { readonly tokens: number; readonly ms: number };
  readonly written: { readonly tokens: number; readonly ms: number };
  readonly totalMs: number;
  readonly costUsd: number;
  readonly unpricedCalls: number;
  readonly wattHours: number;
  /** What the electricity of the metered calls cost; 0 where no price is set. */
  readonly energyUsd: number;
  /** Calls whose energy nobody knows, and those whose electricity has no price. */
  readonly unmeteredCalls: number;
  readonly unpricedEnergyCalls: number;
  /** Metered by the watts of the settings alone: an estimate. */
  readonly estimatedEnergyCalls: number;
}

const nothing = { tokens: 0, ms: 0 };

export const noWork: Workload = {
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
};

/** How one call ended, as its event has it. */
export interface EndedCall {
  readonly usage: Usage;
  readonly evaluatedTokens: number | null;
  readonly timings: Timings;
  readonly costUsd: number | null;
  readonly energy?: Energy | undefined;
}

export function workOf({ usage, evaluatedTokens, timings, costUsd, energy }: EndedCall): Workload {
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
  };
}

export function addWork(left: Workload, right: Workload): Workload {
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
  };
}

/** What was used here and elsewhere. */
export interface SplitWork {
  readonly local: Workload;
  readonly cloud: Workload;
}

export function splitWork(calls: Iterable<{ readonly where: Where; readonly end: EndedCall | null }>): SplitWork {
  let local = noWork;
  let cloud = noWork;
  for (const { where, end } of calls) {
    if (end === null) continue;
    if (where === 'local') local = addWork(local, workOf(end));
    else cloud = addWork(cloud, workOf(end));
  }
  return { local, cloud };
}

export const noSplitWork: SplitWork = { local: noWork, cloud: noWork };

export function addSplitWork(left: SplitWork, right: SplitWork): SplitWork {
  return { local: addWork(left.local, right.local), cloud: addWork(left.cloud, right.cloud) };
}

/** The cloud model that it is computed against, by its own price. */
export interface CloudReference {
  readonly model: string;
  readonly price: Price;
}

export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What the same tokens would have cost somewhere else. `measured`: nothing had to be imagined, for all of it ran there. */
export interface Elsewhere {
  readonly basis: 'measured' | 'estimated';
  /** US dollars. Null: `why` says what is not known. */
  readonly usd: Interval | null;
  readonly seconds: Interval | null;
  readonly why: string | null;
  /** How it was worked out, for a person. */
  readonly formula: string;
}

export interface Counterfactual {
  readonly allLocal: Elsewhere;
  readonly allCloud: Elsewhere;
}

/** Two tokenizers cut the same text into numbers of tokens that differ by about this much. */
const tokenSpread = { low: 0.8, high: 1.25 } as const;
/** The same work on the same machine: longer contexts are slower, a busy machine is. */
const speedSpread = { low: 0.75, high: 1.5 } as const;

/** What an interval has to hold: the same tokens elsewhere, or another run of the task, which takes steps of its own. */
type Scope = 'tokens' | 'run';

/**
 * The value is that of the same tokens. Where it stands for a whole run its interval is as wide as real runs of the other
 * policy were found to differ (`counterfactual-runs.json`): a better model needs fewer steps, a weaker one more.
 * `known`: all calls of which speeds are known.
 */
export function counterfactualOf(
  work: SplitWork,
  reference: CloudReference | null,
  known: SplitWork = work,
  scope: Scope = 'run',
): Counterfactual {
  return { allLocal: allLocal(work, known, scope), allCloud: allCloud(work, reference, { known, scope }) };
}

/** Real by said, over the tasks that it was found out on. */
interface Found {
  readonly low: number;
  readonly high: number;
}

function widened({ value, low, high }: Interval, scope: Scope, found: Found): Interval {
  if (scope === 'tokens') return { value, low, high };
  return { value, low: Math.min(low, value * found.low), high: Math.max(high, value * found.high) };
}

const foundText = `; and as far as real runs elsewhere were found to differ (${runs.tasks} tasks, ${runs.date})`;

const exact = (value: number): Interval => ({ value, low: value, high: value });

const add = (left: Interval, right: Interval): Interval => ({
  value: left.value + right.value,
  low: left.low + right.low,
  high: left.high + right.high,
});

function allCloud(
  { local, cloud }: SplitWork,
  reference: CloudReference | null,
  { known, scope }: { readonly known: SplitWork; readonly scope: Scope },
): Elsewhere {
  const spent = cloud.unpricedCalls > 0 ? null : exact(cloud.costUsd);
  if (local.calls === 0) return ranThere(spent, cloud, 'calls without a known price');
  const seconds = cloudSeconds(local, cloud, known.cloud, scope);
  if (reference === null) {
    const why = 'no cloud model with a price is set up, so there is nothing to compare with';
    return { basis: 'estimated', usd: null, seconds, why, formula: 'nothing was computed' };
  }
  const { price } = reference;
  const guess = widened(priced(local, price), scope, runs.cloudUsd);
  const formula =
    `${cloud.calls > 0 ? 'the bill of the cloud calls + ' : ''}(tokens read anew × input + tokens kept from the call before × cache read ` +
    `+ tokens written × output) at the price of ${reference.model} (${price.source}, ${price.date}); ` +
    `from: everything kept that could be, 20 % fewer tokens; to: nothing kept, 25 % more tokens${scope === 'run' ? foundText : ''}`;
  const why = spent === null ? 'calls without a known price' : null;
  return { basis: 'estimated', usd: spent === null ? null : add(spent, guess), seconds, why, formula };
}

/** Each call at the rates that the average prompt falls under. */
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
  // A call in a row can keep all but its last turn; the first of them keeps nothing.
  const most = Math.max(reused, prompt - prompt / local.calls);
  const low = Math.min(value, of(most, Math.min(fresh, rates.input))) * tokenSpread.low;
  const high = Math.max(value, of(0, Math.max(fresh, rates.input))) * tokenSpread.high;
  return { value: value + each, low: low + each, high: high + each };
}

/** By the answers of cloud calls that were timed; null where there are none. */
function cloudSeconds(local: Workload, cloud: Workload, known: Workload, scope: Scope): Interval | null {
  if (known.usage.output === 0) return null;
  const value = (local.usage.output * known.totalMs) / known.usage.output / 1000;
  const low = value * speedSpread.low * tokenSpread.low;
  const high = value * speedSpread.high * tokenSpread.high;
  return add(exact(cloud.totalMs / 1000), widened({ value, low, high }, scope, runs.cloudSeconds));
}

function allLocal({ local, cloud }: SplitWork, known: SplitWork, scope: Scope): Elsewhere {
  const electricity = local.unmeteredCalls + local.unpricedEnergyCalls > 0 ? null : exact(local.energyUsd);
  if (cloud.calls === 0) {
    const why = local.unmeteredCalls > 0 ? unmetered : noPrice;
    // Tokens of this machine cost nothing; what its electricity cost is told where it is known.
    const there = ranThere(electricity ?? exact(local.costUsd), local, '');
    if (electricity === null) return { ...there, why };
    if (local.estimatedEnergyCalls === 0) return there;
    return { ...there, basis: 'estimated', formula: 'all of it ran there; electricity: energy.watts × the time' };
  }
  const { read, written } = known.local;
  if (read.ms === 0 || written.ms === 0 || read.tokens === 0) {
    const why = 'no local call was timed, so nobody knows how fast this machine is';
    return { basis: 'estimated', usd: null, seconds: null, why, formula: 'nothing was computed' };
  }
  const prompt = promptTokensOf(cloud.usage);
  // The first of calls in a row keeps nothing.
  const anew = Math.max(prompt * anewShare(known.local), prompt / cloud.calls);
  const ms = (tokens: number): number =>
    (tokens * read.ms) / read.tokens + (cloud.usage.output * written.ms) / written.tokens;
  const value = ms(anew) / 1000;
  const low = (ms(prompt / cloud.calls) / 1000) * speedSpread.low * tokenSpread.low;
  const high = (ms(prompt) / 1000) * speedSpread.high * tokenSpread.high;
  const guess = widened({ value, low, high }, scope, runs.localSeconds);
  const seconds = add(exact(local.totalMs / 1000), guess);
  const perSecond = usdPerSecond(known.local);
  const usd = electricity === null || perSecond === null ? null : add(electricity, times(guess, perSecond));
  const formula =
    `${local.calls > 0 ? 'the time of the local calls + ' : ''}tokens read anew (${Math.round((anew / Math.max(1, prompt)) * 100)} % of the prompts) ÷ ` +
    `${speedText(read)} + tokens written ÷ ${speedText(written)}, as this machine was timed${scope === 'run' ? foundText : ''}; ` +
    'money: that time at the electricity of the local calls';
  return {
    basis: 'estimated',
    usd,
    seconds,
    why: usd === null ? (known.local.wattHours > 0 ? noPrice : unmetered) : null,
    formula,
  };
}

/** How much of its prompts this machine had to read, after what it had kept of the call before. */
function anewShare({ usage, reused }: Workload): number {
  const prompt = promptTokensOf(usage);
  return prompt === 0 ? 1 : 1 - Math.min(reused, prompt) / prompt;
}

function times({ value, low, high }: Interval, factor: number): Interval {
  return { value: value * factor, low: low * factor, high: high * factor };
}

const unmetered = 'its electricity was not metered: set energy.watts, or let Dewpoint read a meter';
const noPrice = 'electricity has no price: set energy.usdPerKwh';

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
