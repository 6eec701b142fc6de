import type { Comparison, ComparisonRun, RunElsewhere, RunFigures } from './comparison.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import { bothText, type Currency, inBoth } from '@shared/money/currency.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import { differenceOfTasks, meanOfTasks, shareOfTasks } from './intervals.ts';
import { hasWorked, isJudged, preferenceOf, type Preference } from './pair-verdicts.ts';
import { eachWay, wayName } from './way-name.ts';

/** The median of some values (the mean of the two middle ones), and their range. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The sums of one way over its ended runs. */
export interface ComparisonRow {
  /** The name of the way. */
  readonly way: string;
  /** Number of ended runs, and number of planned runs. */
  readonly runs: number;
  readonly wanted: number;
  readonly solved: number;
  /** Runs that a check judged. */
  readonly checked: number;
  /** The share of solved runs among those, with its 95 % interval. Null: there are none. */
  readonly solvedShare: Interval | null;
  /** How its answers did against the others. Null: nobody judged them. */
  readonly preference: Preference | null;
  /** Runs that neither a check nor anybody judged yet. */
  readonly toJudge: number;
  readonly steps: Spread | null;
  readonly seconds: Spread | null;
  readonly tokens: { readonly [bucket in keyof RunResult['tokens']]: Spread | null };
  /** Null when one run has a call without a known price, or when nothing has ended. */
  readonly costUsd: Spread | null;
  /** The mean of the ended runs, with its 95 % interval. Null below two of them, or when one is unknown. */
  readonly means: { readonly seconds: Interval | null; readonly costUsd: Interval | null };
  /** All ended runs together. Null: unknown for one of them. */
  readonly totals: { readonly seconds: number; readonly costUsd: number | null };
  /** Tokens written in a second of model calls. Null: unknown. */
  readonly tokensPerSecond: number | null;
  readonly energyWh: Spread | null;
  /** Electricity, and the share of the hardware's price, of all ended runs in US dollars. Null: unknown. */
  readonly energyUsd: number | null;
  readonly hardwareUsd: number | null;
  /**
   * The same work elsewhere: the median of the runs, with the range of all their intervals. Null when it is unknown for
   * one of them.
   */
  readonly elsewhere: RunElsewhere;
  /** Share of steps that ran on this machine, 0 to 1; null without a step. */
  readonly localShare: number | null;
}

/** One row for each way, in the order of the input. */
export function comparisonRows(comparison: Comparison): readonly ComparisonRow[] {
  return eachWay(comparison.input.ways).map((way) => rowOf(comparison, wayName(way)));
}

/** How a way did against the first one on the same runs of the same tasks. */
export interface WayDifference {
  readonly way: string;
  /** Pairs of runs that have both ended. */
  readonly pairs: number;
  /** The difference of the solved shares, where a check judged both. Null: there are none. */
  readonly solved: Interval | null;
  /** The mean differences. Null below two pairs, or when one is unknown. */
  readonly seconds: Interval | null;
  readonly costUsd: Interval | null;
}

/** Each other way against one of them, the first if not said, paired by task and repeat: positive means more than it. */
export function wayDifferences(comparison: Comparison, against?: string): readonly WayDifference[] {
  const names = eachWay(comparison.input.ways).map(wayName);
  const first = against ?? names[0];
  const others = names.filter((name) => name !== first);
  return others.map((way) => {
    const pairs = comparison.runs.flatMap((run) => {
      const base = comparison.runs.find(
        (one) => one.way === first && one.task === run.task && one.repeat === run.repeat,
      );
      return run.way === way && hasWorked(run) && base !== undefined && hasWorked(base) ? [{ run, base }] : [];
    });
    const differences = (of: (one: RunFigures) => number | null): Interval | null => {
      const values = pairs.map(({ run, base }) => {
        const [here, there] = [run, base].map(({ figures }) => (figures === null ? null : of(figures)));
        return { task: run.task, value: typeof here === 'number' && typeof there === 'number' ? here - there : null };
      });
      return meanOf(values);
    };
    const seconds = differences((one) => one.seconds);
    const costUsd = differences((one) => one.costUsd);
    return { way, pairs: pairs.length, solved: solvedDifference(pairs), seconds, costUsd };
  });
}

function solvedDifference(
  pairs: readonly { readonly run: ComparisonRun; readonly base: ComparisonRun }[],
): Interval | null {
  const judged = pairs.flatMap(({ run, base }) => {
    const [here, there] = [run.check?.passed ?? null, base.check?.passed ?? null];
    return here === null || there === null ? [] : [{ task: run.task, value: { first: here, second: there } }];
  });
  return differenceOfTasks(judged);
}

/** Null when one is unknown. */
function meanOf(values: readonly { readonly task: number; readonly value: number | null }[]): Interval | null {
  const known = values.flatMap(({ task, value }) => (value === null ? [] : [{ task, value }]));
  return known.length < values.length ? null : meanOfTasks(known);
}

/** Null when one is unknown. */
function totalOf(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => typeof value === 'number');
  return known.length < values.length ? null : known.reduce((sum, value) => sum + value, 0);
}

function rowOf(comparison: Comparison, way: string): ComparisonRow {
  const runs = comparison.runs.filter((run) => run.way === way);
  const ended = runs.filter(hasWorked);
  const figures = ended.flatMap((run) => (run.figures === null ? [] : [run.figures]));
  const meanFor = (of: (one: RunFigures) => number | null): Interval | null =>
    meanOf(ended.flatMap(({ task, figures: own }) => (own === null ? [] : [{ task, value: of(own) }])));
  const spread = (of: (one: RunFigures) => number | null): Spread | null => spreadOf(figures.map(of));
  const steps = figures.reduce((sum, one) => sum + one.steps, 0);
  const localSteps = figures.reduce((sum, one) => sum + one.localSteps, 0);
  const judged = ended.filter(isChecked);
  const solved = judged.filter(isSolved).length;
  const costs = figures.map((one) => one.costUsd);
  return {
    way,
    runs: ended.length,
    wanted: runs.length,
    solved,
    checked: judged.length,
    solvedShare:
      judged.length === 0 ? null : shareOfTasks(judged.map((run) => ({ task: run.task, value: isSolved(run) }))),
    preference: preferenceOf(comparison, way),
    toJudge: ended.filter((run) => !isChecked(run) && !isJudged(comparison, run)).length,
    means: { seconds: meanFor((one) => one.seconds), costUsd: meanFor((one) => one.costUsd) },
    totals: { seconds: totalOf(figures.map((one) => one.seconds)) ?? 0, costUsd: totalOf(costs) },
    tokensPerSecond: speedOf(figures),
    energyUsd: figures.length === 0 ? null : totalOf(figures.map((one) => one.energyUsd)),
    hardwareUsd: figures.length === 0 ? null : totalOf(figures.map((one) => one.hardwareUsd)),
    steps: spread((one) => one.steps),
    seconds: spread((one) => one.seconds),
    tokens: {
      freshInput: spread((one) => one.tokens.freshInput),
      cacheRead: spread((one) => one.tokens.cacheRead),
      cacheWrite: spread((one) => one.tokens.cacheWrite),
      output: spread((one) => one.tokens.output),
    },
    costUsd: spread((one) => one.costUsd),
    energyWh: spread((one) => one.energyWh),
    elsewhere: {
      cloudUsd: intervalOf(figures.map(({ elsewhere }) => elsewhere?.cloudUsd ?? null)),
      localSeconds: intervalOf(figures.map(({ elsewhere }) => elsewhere?.localSeconds ?? null)),
    },
    localShare: steps === 0 ? null : localSteps / steps,
  };
}

/** Only a passed check makes a run solved. The agent's own claim does not count. */
function isSolved(run: ComparisonRun): boolean {
  return run.check?.passed === true;
}

function isChecked(run: ComparisonRun): boolean {
  return typeof run.check?.passed === 'boolean';
}

function speedOf(figures: readonly RunFigures[]): number | null {
  const seconds = totalOf(figures.map((one) => one.modelSeconds));
  const output = figures.reduce((sum, one) => sum + one.tokens.output, 0);
  return seconds === null || seconds <= 0 ? null : output / seconds;
}

/** Null when there are no values, or when one is unknown. */
function spreadOf(values: readonly (number | null)[]): Spread | null {
  const known = values.filter((value) => value !== null).sort((left, right) => left - right);
  if (known.length === 0 || known.length < values.length) return null;
  const middle = (known.length - 1) / 2;
  const low = known[Math.floor(middle)] ?? 0;
  const high = known[Math.ceil(middle)] ?? 0;
  return { median: (low + high) / 2, least: known[0] ?? 0, most: known.at(-1) ?? 0 };
}

function intervalOf(intervals: readonly (Interval | null)[]): Interval | null {
  const values = spreadOf(intervals.map((one) => one?.value ?? null));
  const known = intervals.filter((one) => one !== null);
  if (values === null) return null;
  const [low, high] = [Math.min(...known.map((one) => one.low)), Math.max(...known.map((one) => one.high))];
  return { value: values.median, low, high };
}

export const comparisonHead = [
  'way',
  'solved',
  'preferred',
  'steps',
  'local',
  'seconds',
  'fresh',
  'cache read',
  'cache write',
  'output',
  'money',
  'if all cloud',
  'if all local',
  'tokens/s',
  'energy',
  'electricity',
  'hardware',
] as const;

/** Explains the columns to readers of the table. */
export const counterfactualLegend =
  'If all cloud: the estimated cost of the same work in the cloud. If all local: the estimated time of its model calls on this machine. For recipes, the estimate assumes as many questions as fit the time there, with answers of the usual length. Ranges show how far such estimates were off. Work that really ran there counts as measured. Electricity and hardware are sums of all runs: the hardware is written off over three years of eight hours a day.';

/** The cells under `comparisonHead`: medians, with the range in brackets if the repeats differ. */
export function comparisonCells(row: ComparisonRow, currency: Currency | null = null): readonly string[] {
  const { tokens } = row;
  const whole = (value: number): string => String(Math.round(value));
  return [
    row.way,
    passedText(row),
    preferenceText(row),
    spreadText(row.steps, whole),
    row.localShare === null ? '-' : `${Math.round(row.localShare * 100)}%`,
    spreadText(row.seconds, (value) => value.toFixed(1)),
    spreadText(tokens.freshInput, whole),
    spreadText(tokens.cacheRead, whole),
    spreadText(tokens.cacheWrite, whole),
    spreadText(tokens.output, whole),
    row.runs === 0
      ? '-'
      : row.costUsd === null
        ? 'unpriced'
        : inBoth({ currency }, (show) => spreadText(row.costUsd, show)),
    inBoth({ currency }, (show) => guessText(row.elsewhere.cloudUsd, show)),
    guessText(row.elsewhere.localSeconds, (value) => value.toFixed(1)),
    row.tokensPerSecond === null ? '-' : row.tokensPerSecond.toFixed(1),
    spreadText(row.energyWh, (value) => `${value.toFixed(2)} Wh`),
    row.energyUsd === null ? '-' : bothText(currency, row.energyUsd),
    row.hardwareUsd === null ? '-' : bothText(currency, row.hardwareUsd),
  ];
}

export function passedText({ solved, checked, solvedShare, runs, wanted }: ComparisonRow): string {
  const left = wanted === runs ? '' : `, ${wanted - runs} to run`;
  if (solvedShare === null) return runs === 0 ? `0 of 0${left}` : `no check${left}`;
  const range = checked < 2 ? '' : ` (${percentText(solvedShare.low)} to ${percentText(solvedShare.high)})`;
  return `${solved} of ${checked}${range}${left}`;
}

export function preferenceText({ preference, toJudge }: ComparisonRow): string {
  const open = toJudge === 0 ? '' : `${toJudge} to judge`;
  if (preference === null) return open === '' ? '-' : open;
  return `${preferenceWords(preference)}${open === '' ? '' : `, ${open}`}`;
}

export const preferenceWords = ({ better, even, worse }: Preference): string =>
  `${better} better, ${even} even, ${worse} worse`;

export const percentText = (share: number): string => `${Math.round(share * 100)}%`;

function guessText(guess: Interval | null, show: (value: number) => string): string {
  return spreadText(guess === null ? null : { median: guess.value, least: guess.low, most: guess.high }, show);
}

function spreadText(spread: Spread | null, show: (value: number) => string): string {
  if (spread === null) return '-';
  const middle = show(spread.median);
  const ends = [show(spread.least), show(spread.most)];
  return ends.every((end) => end === middle) ? middle : `${middle} (${ends.join(' to ')})`;
}
