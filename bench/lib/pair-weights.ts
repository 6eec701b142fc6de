import { coverage, foundInterval } from '@shared/money/found-interval.ts';
import { heldOf, type Pair } from './pair-figures.ts';
import type { PairRecord } from './pair-results.ts';

/**
 * The text of `src/shared/money/counterfactual-runs.json`, computed from the development half. It is copied there by
 * hand.
 */
export function pairWeights(pairs: readonly Pair[]): string {
  const runs = pairs.flatMap(({ local, cloud }) => [local, cloud]);
  const date = runs.reduce((latest, { at }) => (at > latest ? at : latest), '').slice(0, 10);
  const held = heldOf(pairs, date);
  const rounded = (ratio: number): number => Number(ratio.toFixed(2));
  const found = Object.entries(held).flatMap(([name, list]) => {
    const interval = foundInterval(list);
    if (interval === null) return [];
    const { low, high, ...rest } = interval;
    return [[name, { low: rounded(low), high: rounded(high), ...rest }] as const];
  });
  const weights = {
    date,
    commits: [...new Set(runs.map(({ commit }) => commit))],
    coverage,
    tasks: pairs.length,
    courseCalls: meanCalls(runs),
    ...Object.fromEntries(found),
  };
  return `For src/shared/money/counterfactual-runs.json:\n${JSON.stringify(weights, null, 2)}`;
}

/** The mean number of calls of a recipe that asked everything it could, without success. */
function meanCalls(runs: readonly PairRecord[]): number {
  const through = runs.filter(
    ({ status, calls }) => status === 'gave-up' && calls.some(({ purpose }) => purpose === 'propose'),
  );
  const calls = through.reduce((sum, run) => sum + run.calls.length, 0);
  return Math.round(calls / Math.max(1, through.length));
}
