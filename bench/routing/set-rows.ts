import type { BenchRow, Target } from '../lib/rows.ts';
import { apgr, apgrMore, apgrSpread, calibrationError, oracleScores, type Spread } from './apgr.ts';
import type { RoutedSet } from './routed-set.ts';

/** APGR of a set with its interval and all controls. */
export function apgrRow(set: RoutedSet, target: Target | null): BenchRow {
  const own = apgrSpread(set.outcomes, set.scores);
  return { figure: `APGR, ${set.name}`, value: own.value, unit: '', target, note: noteOf(set, own) };
}

/** How far the score is above the best of the controls. */
export function aboveControls(set: RoutedSet, least: number): BenchRow {
  const [name, best] = bestControl(set);
  const more = apgrMore(set.outcomes, set.scores, best);
  const note = `95 % ${short(more.low)} to ${short(more.high)} above "${name}"; ${noteOf(set, apgrSpread(set.outcomes, set.scores))}`;
  return {
    figure: `above the best control, ${set.name}`,
    value: more.value,
    unit: '',
    target: { atLeast: least },
    note,
  };
}

/** The control with the highest APGR on these very items, so the score has to beat it where it is luckiest. */
function bestControl({ outcomes, controls }: RoutedSet): readonly [string, readonly number[]] {
  const all = Object.entries(controls).map(([name, scores]) => ({ name, scores, value: apgr(outcomes, scores) }));
  const best = all.reduce((top, one) => (one.value > top.value ? one : top));
  return [best.name, best.scores];
}

function noteOf(set: RoutedSet, own: Spread): string {
  const { outcomes, controls, withoutWords, scores } = set;
  const words = withoutWords === scores ? [] : [`without hashed words ${short(apgr(outcomes, withoutWords))}`];
  return [
    `APGR ${short(own.value)}, 95 % ${short(own.low)} to ${short(own.high)} of ${outcomes.length}`,
    ...words,
    ...Object.entries(controls).map(([name, control]) => `${name} ${short(apgr(outcomes, control))}`),
    `oracle ${short(apgr(outcomes, oracleScores(outcomes)))}`,
  ].join('; ');
}

export function calibrationRow(
  name: string,
  states: readonly { readonly chance: number; readonly solved: boolean }[],
): BenchRow {
  const error = calibrationError(
    states.map(({ chance }) => chance),
    states.map(({ solved }) => solved),
  );
  const note = `15 bins of equal mass, ${states.length} states`;
  return { figure: `calibration error, ${name}`, value: error, unit: '', target: { atMost: 0.04 }, note };
}

function short(value: number): string {
  return value.toFixed(3);
}
