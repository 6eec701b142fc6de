import { seeded } from '../lib/seeded.ts';

/** One item with what both models made of it, 0 to 1. */
export interface Outcome {
  readonly weak: number;
  readonly strong: number;
}

/**
 * The share of the gap between two models that a score recovers, averaged over the share of strong calls, as RouteLLM
 * defines it: thresholds at the eleven decile edges of the score, the last one exclusive; the strong model where the
 * score reaches the threshold. Ties are broken at random.
 */
export function apgr(outcomes: readonly Outcome[], scores: readonly number[], seed = 1): number {
  const order = ordered(scores, seed);
  const size = order.length;
  const weakAll = sum(outcomes.map(({ weak }) => weak)) / size;
  const strongAll = sum(outcomes.map(({ strong }) => strong)) / size;
  let area = 0;
  let before: { readonly calls: number; readonly quality: number } | null = null;
  // From all strong to all weak.
  for (let decile = 0; decile <= 10; decile += 1) {
    const cut = Math.round((decile * size) / 10);
    let quality = 0;
    for (const [place, item] of order.entries()) {
      const outcome = outcomes[item];
      quality += (place >= cut ? outcome?.strong : outcome?.weak) ?? 0;
    }
    const now = { calls: (size - cut) / size, quality: quality / size };
    if (before !== null) area += ((before.quality + now.quality) / 2) * (before.calls - now.calls);
    before = now;
  }
  return (area - weakAll) / (strongAll - weakAll);
}

/** Items by rising score. */
function ordered(scores: readonly number[], seed: number): readonly number[] {
  const random = seeded(seed * 7919 + 17);
  const ties = scores.map(() => random());
  return scores
    .map((_, item) => item)
    .sort((left, right) => (scores[left] ?? 0) - (scores[right] ?? 0) || (ties[left] ?? 0) - (ties[right] ?? 0));
}

/** The best that any score could reach: gains first, losses last. */
export function oracleScores(outcomes: readonly Outcome[]): readonly number[] {
  return outcomes.map(({ weak, strong }) => strong - weak);
}

export interface Spread {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A figure of the items with its 95 % interval, by drawing items again. Two figures given one seed are paired. */
export function bootstrap(
  size: number,
  figure: (items: readonly number[]) => number,
  { draws = 400, seed = 1 }: { readonly draws?: number; readonly seed?: number } = {},
): Spread {
  const random = seeded(seed);
  const all = Array.from({ length: size }, (_, at) => at);
  const values: number[] = [];
  for (let draw = 0; draw < draws; draw += 1) values.push(figure(all.map(() => Math.floor(random() * size))));
  values.sort((left, right) => left - right);
  const at = (share: number): number => values[Math.min(draws - 1, Math.floor(share * draws))] ?? 0;
  return { value: figure(all), low: at(0.025), high: at(0.975) };
}

/** APGR with its interval. */
export function apgrSpread(outcomes: readonly Outcome[], scores: readonly number[]): Spread {
  return bootstrap(outcomes.length, (items) => apgr(pick(outcomes, items), pick(scores, items)));
}

/** How much more one score recovers than another on the same items. */
export function apgrMore(outcomes: readonly Outcome[], scores: readonly number[], than: readonly number[]): Spread {
  return bootstrap(outcomes.length, (items) => {
    const drawn = pick(outcomes, items);
    return apgr(drawn, pick(scores, items)) - apgr(drawn, pick(than, items));
  });
}

export function pick<T>(from: readonly T[], items: readonly number[]): readonly T[] {
  return items.flatMap((item) => {
    const one = from[item];
    return one === undefined ? [] : [one];
  });
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}

/** The mean distance of stated chance and counted share over bins of equal mass. */
export function calibrationError(chances: readonly number[], labels: readonly boolean[], bins = 15): number {
  const order = chances.map((_, item) => item).sort((left, right) => (chances[left] ?? 0) - (chances[right] ?? 0));
  let error = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    const own = order.slice(Math.round((bin * order.length) / bins), Math.round(((bin + 1) * order.length) / bins));
    const stated = sum(pick(chances, own));
    const counted = pick(labels, own).filter(Boolean).length;
    error += Math.abs(stated - counted) / order.length;
  }
  return error;
}
