import { escapeHtml } from '@shared/text/escape-html.ts';
import { escapeMarkdown } from '@shared/text/escape-markdown.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { ComparisonRun, NamedTestCounts, RunFigures } from '@shared/comparisons/comparison.ts';
import { differenceOfTasks, shareOfTasks } from '@shared/comparisons/intervals.ts';
import { bothText, type Currency, rateText } from '@shared/money/currency.ts';

/** One run of a task in one way. */
export interface EvalRun {
  readonly task: string;
  readonly kind: string;
  /** Policy and model, as it is shown. */
  readonly way: string;
  readonly repeat: number;
  readonly state: ComparisonRun['state'];
  /** Null: nobody could judge it, or it did not run. */
  readonly solved: boolean | null;
  /** Why it did not run, or can hardly be judged. Null: nothing is to be said. */
  readonly why: string | null;
  readonly figures: RunFigures | null;
  /** Whether no check failed after the agent's work. Null: it was never checked by itself. */
  readonly isFirstTry: boolean | null;
  /** Calls of tools that failed, and those of them after which the same tool worked. */
  readonly failedCalls: number;
  readonly recovered: number;
  /** Null: the task names no tests, or nobody saw which passed. */
  readonly named: NamedTestCounts | null;
}

/** What one way did, with everything that the report shows of it. */
export interface EvalRow {
  readonly way: string;
  readonly runs: number;
  readonly solved: number;
  readonly unjudged: number;
  /** The share that was solved, with its 95 % interval. */
  readonly share: { readonly value: number; readonly low: number; readonly high: number };
  readonly firstTry: string;
  readonly recovered: string;
  /** Runs in which a test failed that passed before, of those whose task names such tests. */
  readonly broke: { readonly runs: number; readonly of: number };
  readonly seconds: number;
  readonly tokens: number;
  /** Null: the price of a call is unknown. */
  readonly costUsd: number | null;
}

export function evalRows(runs: readonly EvalRun[]): readonly EvalRow[] {
  return [...new Set(runs.map(({ way }) => way))].map((way) => {
    const own = runs.filter((run) => run.way === way);
    const judged = own.filter(({ solved }) => solved !== null);
    const solved = judged.filter((run) => run.solved === true);
    const checked = solved.filter(({ isFirstTry }) => isFirstTry !== null);
    const first = checked.filter(({ isFirstTry }) => isFirstTry === true).length;
    const sum = (of: (figures: RunFigures) => number): number =>
      own.reduce((total, { figures }) => total + (figures === null ? 0 : of(figures)), 0);
    const failed = own.reduce((total, { failedCalls }) => total + failedCalls, 0);
    const kept = judged.flatMap(({ named }) => (named === null || named.kept.of === 0 ? [] : [named.kept]));
    const recovered = own.reduce((total, run) => total + run.recovered, 0);
    return {
      way,
      runs: own.length,
      solved: solved.length,
      unjudged: own.length - judged.length,
      share: shareOfTasks(judged.map((run) => ({ task: run.task, value: run.solved === true }))),
      firstTry: `${first} of ${checked.length}`,
      recovered: `${recovered} of ${failed}`,
      broke: { runs: kept.filter(({ passed, of }) => passed < of).length, of: kept.length },
      seconds: sum(({ seconds }) => seconds),
      tokens: sum(({ tokens }) => tokens.freshInput + tokens.cacheRead + tokens.cacheWrite + tokens.output),
      costUsd: own.some(({ figures }) => figures !== null && figures.costUsd === null)
        ? null
        : sum(({ costUsd }) => costUsd ?? 0),
    };
  });
}

/** The difference of two ways on the tasks and repeats that both did, in words. */
export function pairedLines(runs: readonly EvalRun[]): readonly string[] {
  const ways = [...new Set(runs.map(({ way }) => way))];
  return ways.flatMap((first, at) => ways.slice(at + 1).map((second) => pairedLine(runs, first, second)));
}

function pairedLine(runs: readonly EvalRun[], first: string, second: string): string {
  const pairs = runs.flatMap(({ task, repeat, way, solved }) => {
    const other = runs.find((run) => run.way === second && run.task === task && run.repeat === repeat)?.solved ?? null;
    return way !== first || solved === null || other === null
      ? []
      : [{ task, value: { first: solved, second: other } }];
  });
  const found = differenceOfTasks(pairs);
  if (found === null) return `${first} against ${second}: no task that both did`;
  const points = (value: number): string => (value * 100).toFixed(0);
  return `${first} against ${second}: ${points(found.value)} points (95 % interval ${points(found.low)} to ${points(found.high)}, ${pairs.length} pairs)`;
}

/** The rows as a table with a head. */
export function evalTable(rows: readonly EvalRow[], currency: Currency | null): readonly (readonly string[])[] {
  const hasNamed = rows.some(({ broke }) => broke.of > 0);
  const broken = hasNamed ? ['broke tests'] : [];
  const head = ['way', 'solved', '95 %', ...broken, 'first try', 'errors recovered', 'time', 'tokens', 'cost'];
  return [head, ...rows.map((row) => evalCells(row, hasNamed, currency))];
}

function evalCells(row: EvalRow, hasNamed: boolean, currency: Currency | null): readonly string[] {
  const { way, runs, solved, unjudged, share, seconds, tokens } = row;
  const percent = (value: number): string => `${(value * 100).toFixed(0)}`;
  const left = unjudged === 0 ? '' : ` (${unjudged} unjudged)`;
  return [
    way,
    `${solved} of ${runs - unjudged}${left}`,
    `${percent(share.low)} to ${percent(share.high)} %`,
    ...(hasNamed ? [row.broke.of === 0 ? '' : `${row.broke.runs} of ${row.broke.of}`] : []),
    row.firstTry,
    row.recovered,
    `${seconds.toFixed(0)} s`,
    tokens.toLocaleString('en'),
    bothText(currency, row.costUsd),
  ];
}

interface EvalReport {
  readonly title: string;
  readonly runs: readonly EvalRun[];
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** Sums stand in it beside those in dollars. */
  readonly currency?: Currency;
}

const how =
  'Solved: the command of the task passed after the run, with files that no agent saw, or the answer was the known one. 95 %: Wilson. Differences are paired by task and repeat (Newcombe). With several tasks, both are over tasks, because repeats of one task say little about others. First try: of the solved runs that were checked, those in which no check failed after the work. Errors recovered: failed calls of tools after which the same tool worked. Broke tests: runs after which a test failed that passed before, where the task names such tests.';

/** The report as Markdown. */
export function evalMarkdown({ title, runs, skipped, currency }: EvalReport): string {
  const rows = evalRows(runs);
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const lines = ([head = [], ...rest]: readonly (readonly string[])[]): readonly string[] => [
    line(head),
    line(head.map(() => '---')),
    ...rest.map(line),
  ];
  return [
    `# ${escapeMarkdown(title)}`,
    '',
    ...lines(evalTable(rows, currency ?? null)),
    '',
    ...(currency === undefined ? [] : [rateText(currency), '']),
    ...pairedLines(runs).map((text) => `- ${escapeMarkdown(text)}`),
    '',
    how,
    '',
    ...lines(tableOfRuns(runs)),
    '',
    ...skipped.map(({ id, why }) => `- not run: ${escapeMarkdown(id)}: ${escapeMarkdown(why)}`),
    '',
  ].join('\n');
}

function tableOfRuns(runs: readonly EvalRun[]): readonly (readonly string[])[] {
  const hasNamed = runs.some(({ named }) => named !== null);
  const tests = hasNamed ? ['tests'] : [];
  return [
    ['task', 'kind', 'way', 'repeat', 'solved', ...tests, 'end', 'time'],
    ...runs.map(({ task, kind, way, repeat, solved, why, figures, named }) => {
      const end =
        figures === null ? (why ?? 'did not run') : why === null ? figures.status : `${figures.status}: ${why}`;
      const verdict = solved === null ? 'unknown' : solved ? 'yes' : 'no';
      const counts = hasNamed ? [named === null ? '' : namedText(named)] : [];
      const time = figures === null ? '' : `${figures.seconds.toFixed(0)} s`;
      return [task, kind, way, String(repeat), verdict, ...counts, end, time];
    }),
  ];
}

/** How many of the tests that a task names passed after a run. */
export function namedText({ asked, kept }: NamedTestCounts): string {
  const broken = kept.of - kept.passed;
  const before = kept.of === 0 ? '' : broken === 0 ? `, broke none of ${kept.of}` : `, broke ${broken} of ${kept.of}`;
  return `passes ${asked.passed} of ${asked.of} that were asked for${before}`;
}

/** The same as a page of its own, with a plot of the shares and their intervals. It loads nothing and has no script. */
export function evalPage(report: EvalReport): string {
  const rows = evalRows(report.runs);
  const table = ([names = [], ...all]: readonly (readonly string[])[]): string =>
    `<table><tr>${names.map((name) => `<th>${pageText(name)}</th>`).join('')}</tr>${all
      .map((cells) => `<tr>${cells.map((cell) => `<td>${pageText(cell)}</td>`).join('')}</tr>`)
      .join('\n')}</table>`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${pageText(report.title)}</title>
<style>body{font:15px system-ui;margin:2em;max-width:60em}table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:left}</style>
<h1>${pageText(report.title)}</h1>
${plotOf(rows)}
${table(evalTable(rows, report.currency ?? null))}
${report.currency === undefined ? '' : `<p>${pageText(rateText(report.currency))}</p>\n`}<ul>${pairedLines(report.runs)
    .map((line) => `<li>${pageText(line)}</li>`)
    .join('')}</ul>
<p>${pageText(how)}</p>
${table(tableOfRuns(report.runs))}
<ul>${report.skipped.map(({ id, why }) => `<li>not run: ${pageText(id)}: ${pageText(why)}</li>`).join('')}</ul>
</html>
`;
}

function plotOf(rows: readonly EvalRow[]): string {
  const lineHeight = 34;
  const x = (share: number): string => (220 + share * 400).toFixed(1);
  const lines = rows.map(({ way, share }, at) => {
    const y = at * lineHeight + 20;
    return `<text x="0" y="${y + 5}">${pageText(way.slice(0, 30))}</text><line x1="${x(share.low)}" x2="${x(share.high)}" y1="${y}" y2="${y}" stroke="currentColor"/><circle cx="${x(share.value)}" cy="${y}" r="5" fill="currentColor"/>`;
  });
  const axis = [0, 0.5, 1].map(
    (share) =>
      `<text x="${x(share)}" y="${rows.length * lineHeight + 24}" text-anchor="middle">${share * 100} %</text>`,
  );
  const label = rows.map(({ way, share }) => `${way}: ${(share.value * 100).toFixed(0)} %`).join(', ');
  return `<svg role="img" aria-label="Share solved. ${pageText(label)}" width="660" height="${rows.length * lineHeight + 34}" font-size="13">${lines.join('')}${axis.join('')}</svg>`;
}

const pageText = (text: string): string => escapeHtml(seenWords(text));
