import type { Comparison, ComparisonPolicy, ComparisonRun, RunElsewhere, RunFigures } from './comparison.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import { moneyText } from '@shared/money/money-text.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import { sheetCell } from '@shared/text/csv-text.ts';

/** The median of some values (the mean of the two middle ones), and their range. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The sums of one policy over its ended repeats. */
export interface ComparisonRow {
  readonly policy: ComparisonPolicy;
  /** Number of ended runs, and number of planned runs. */
  readonly runs: number;
  readonly wanted: number;
  readonly solved: number;
  /** Runs that no check could judge. They count neither as solved nor as failed. */
  readonly unjudged: number;
  readonly steps: Spread | null;
  readonly seconds: Spread | null;
  readonly tokens: { readonly [bucket in keyof RunResult['tokens']]: Spread | null };
  /** Null when one run has a call without a known price, or when nothing has ended. */
  readonly costUsd: Spread | null;
  readonly energyWh: Spread | null;
  /**
   * The same work elsewhere: the median of the runs, with the range of all their intervals. Null when it is unknown for
   * one of them.
   */
  readonly elsewhere: RunElsewhere;
  /** Share of steps that ran on this machine, 0 to 1; null without a step. */
  readonly localShare: number | null;
}

/** One row for each policy, in the order of the input. */
export function comparisonRows(comparison: Comparison): readonly ComparisonRow[] {
  return [...new Set(comparison.input.policies)].map((policy) =>
    rowOf(
      policy,
      comparison.runs.filter((run) => run.policy === policy),
    ),
  );
}

function rowOf(policy: ComparisonPolicy, runs: readonly ComparisonRun[]): ComparisonRow {
  const ended = runs.filter((run) => run.state === 'ended');
  const figures = ended.flatMap((run) => (run.figures === null ? [] : [run.figures]));
  const spread = (of: (one: RunFigures) => number | null): Spread | null => spreadOf(figures.map(of));
  const steps = figures.reduce((sum, one) => sum + one.steps, 0);
  const localSteps = figures.reduce((sum, one) => sum + one.localSteps, 0);
  return {
    policy,
    runs: ended.length,
    wanted: runs.length,
    solved: ended.filter(isSolved).length,
    unjudged: ended.filter((run) => run.check === null || run.check.passed === null).length,
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

/** The comparison as Markdown: the table, then every run with its session. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { input, createdAt, id } = comparison;
  const lines = [
    `# Comparison ${id}`,
    '',
    `- Task: ${escape(input.task)}`,
    `- Project: ${escape(input.projectPath)}`,
    `- Check: ${input.check === undefined ? 'the test command of the project' : `\`${input.check.replaceAll('`', "'").replaceAll(/\s+/gu, ' ')}\``}`,
    `- Begun: ${new Date(createdAt).toISOString()}`,
    '',
    ...tableOf(
      comparisonHead,
      comparisonRows(comparison).map((row) => comparisonCells(row)),
    ),
    '',
    counterfactualLegend,
    '',
    ...tableOf(
      ['policy', 'run', 'state', 'check', 'status', 'steps', 'seconds', 'money', 'session'],
      comparison.runs.map(runCells),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * One line for each run, for a spreadsheet. Figures have no units, a missing value is an empty cell, and no text can be
 * read as a formula.
 */
export function comparisonCsv(comparison: Comparison): string {
  const { task } = comparison.input;
  const lines = comparison.runs.map((run) => [...sheetCells(run), task].map(sheetCell).join(','));
  return [[...csvHead, 'task'].join(','), ...lines].map((line) => `${line}\n`).join('');
}

const csvHead = [
  'policy',
  'repeat',
  'state',
  'solved',
  'status',
  'steps',
  'local_steps',
  'seconds',
  'fresh_input',
  'cache_read',
  'cache_write',
  'output',
  'usd',
  'usd_if_all_cloud',
  'seconds_if_all_here',
  'energy_wh',
  'session',
  'check',
  'why',
] as const;

function sheetCells({ policy, repeat, state, check, figures, sessionId, why }: ComparisonRun) {
  const { tokens } = figures ?? {};
  return [
    policy,
    repeat,
    state,
    check?.passed ?? null,
    figures?.status ?? null,
    figures?.steps ?? null,
    figures?.localSteps ?? null,
    figures?.seconds ?? null,
    tokens?.freshInput ?? null,
    tokens?.cacheRead ?? null,
    tokens?.cacheWrite ?? null,
    tokens?.output ?? null,
    // An unknown price is not 0, and differs from a run that did not happen.
    figures === null ? null : (figures.costUsd ?? 'unpriced'),
    figures?.elsewhere?.cloudUsd?.value ?? null,
    figures?.elsewhere?.localSeconds?.value ?? null,
    figures?.energyWh ?? null,
    sessionId,
    check?.command ?? null,
    why ?? check?.summary ?? null,
  ];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(escape).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** A text from outside as one table cell: without line breaks and markup. */
function escape(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\\`*_[\]<>|#]/gu, '\\$&');
}

function runCells(run: ComparisonRun): readonly string[] {
  const { figures, check } = run;
  const judged = check === null ? '-' : check.passed === null ? `not run: ${check.summary}` : passWord(check.passed);
  return [
    run.policy,
    String(run.repeat),
    run.why === null ? run.state : `${run.state}: ${run.why}`,
    judged,
    figures?.status ?? '-',
    figures === null ? '-' : String(figures.steps),
    figures === null ? '-' : figures.seconds.toFixed(1),
    figures === null ? '-' : moneyText(figures.costUsd),
    run.sessionId ?? '-',
  ];
}

const passWord = (passed: boolean): string => (passed ? 'passed' : 'failed');

export const comparisonHead = [
  'policy',
  'solved',
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
  'energy',
] as const;

/** Explains the two columns to readers of the table. */
export const counterfactualLegend =
  'If all cloud: the estimated cost of the same work in the cloud. If all local: the estimated time of its model calls on this machine. For recipes, the estimate assumes as many questions as fit the time there, with answers of the usual length. Ranges show how far such estimates were off. Work that really ran there counts as measured.';

/** The cells under `comparisonHead`: medians, with the range in brackets if the repeats differ. */
export function comparisonCells(row: ComparisonRow): readonly string[] {
  const { tokens } = row;
  const whole = (value: number): string => String(Math.round(value));
  return [
    row.policy,
    solvedText(row),
    spreadText(row.steps, whole),
    row.localShare === null ? '-' : `${Math.round(row.localShare * 100)}%`,
    spreadText(row.seconds, (value) => value.toFixed(1)),
    spreadText(tokens.freshInput, whole),
    spreadText(tokens.cacheRead, whole),
    spreadText(tokens.cacheWrite, whole),
    spreadText(tokens.output, whole),
    row.runs === 0 ? '-' : row.costUsd === null ? 'unpriced' : spreadText(row.costUsd, moneyText),
    guessText(row.elsewhere.cloudUsd, moneyText),
    guessText(row.elsewhere.localSeconds, (value) => value.toFixed(1)),
    spreadText(row.energyWh, (value) => `${value.toFixed(2)} Wh`),
  ];
}

function solvedText(row: ComparisonRow): string {
  const judged = row.runs - row.unjudged;
  const left = row.wanted === row.runs ? '' : `, ${row.wanted - row.runs} to run`;
  return `${row.solved} of ${judged}${row.unjudged === 0 ? '' : `, ${row.unjudged} unjudged`}${left}`;
}

function guessText(guess: Interval | null, show: (value: number) => string): string {
  return spreadText(guess === null ? null : { median: guess.value, least: guess.low, most: guess.high }, show);
}

function spreadText(spread: Spread | null, show: (value: number) => string): string {
  if (spread === null) return '-';
  const middle = show(spread.median);
  const ends = [show(spread.least), show(spread.most)];
  return ends.every((end) => end === middle) ? middle : `${middle} (${ends.join(' to ')})`;
}
