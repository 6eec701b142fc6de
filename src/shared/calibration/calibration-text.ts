import type { CalibrationView } from './calibration.ts';
import type { MonthReport, Rate, SolvedRow } from './calibration-report.ts';
import { solvedRows } from './calibration-report.ts';
import { bothText, type Currency, inBoth, rateText } from '@shared/money/currency.ts';
import { escapeMarkdown } from '@shared/text/escape-markdown.ts';
import type { MonthWay } from '@shared/money/month-costs.ts';

export const solvedHead = ['model', 'tasks', 'solved', '95 % interval', 'median time', 'money'] as const;

export function solvedCells(row: SolvedRow, currency: Currency | null): readonly string[] {
  return [
    row.model,
    row.of,
    `${row.solved} of ${row.judged}${row.unjudged === 0 ? '' : `, ${row.unjudged} unjudged`}`,
    intervalText(row),
    row.medianSeconds === null ? '-' : `${Math.round(row.medianSeconds)} s`,
    row.where === 'local' ? '-' : bothText(currency, row.usd),
  ];
}

function intervalText({ judged, low, high }: Rate): string {
  return judged === 0 ? 'unknown' : `${Math.round(low * 100)} to ${Math.round(high * 100)} %`;
}

const monthNames = {
  local: 'all on this machine',
  hybrid: 'here first, the rest in the cloud',
  cloud: 'all in the cloud',
};

/** One line for each way of working. */
export function monthLines(month: MonthReport, currency: Currency | null): readonly string[] {
  return (['local', 'hybrid', 'cloud'] as const).map((way) => `${monthNames[way]}: ${monthText(month[way], currency)}`);
}

function monthText({ usd, why }: MonthWay, currency: Currency | null): string {
  if (usd === null) return `unknown: ${why ?? 'nothing is known'}`;
  const sum = inBoth({ currency }, (show) => {
    const range = usd.low === usd.high ? '' : ` (${show(usd.low)} to ${show(usd.high)})`;
    return `${show(usd.value)}${range}`;
  });
  return `${sum}${why === null ? '' : `; ${why}`}`;
}

/** What the report says of the currency in it. Empty: there are dollars alone. */
export function currencyNotes(currency: Currency | null): readonly string[] {
  return currency === null ? [] : [rateText(currency)];
}

/** What the report does not know, as sentences. */
export function unknownNotes({ project, tasks, runs, dropped, state }: CalibrationView): readonly string[] {
  const few =
    tasks.length > 0 && tasks.length < 15
      ? [
          tasks.length === 1
            ? 'There is only 1 task, so the interval says little.'
            : `There are only ${tasks.length} tasks, so the intervals are wide.`,
        ]
      : [];
  const open = runs.filter(({ state }) => state !== 'ended').length;
  const left = open === 0 ? [] : [open === 1 ? '1 run has not ended.' : `${open} runs have not ended.`];
  const out = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  const checked =
    tasks.length > 0
      ? [
          `Each task was tried before use: its check failed twice before the true change, and passed twice after it. For a question, the rule that judges it took the known answer and no other. ${out === 1 ? '1 candidate was' : `${out} candidates were`} left out.`,
        ]
      : [];
  const small =
    tasks.length > 0
      ? 'Faults and questions are small tasks, and a commit is only as typical as its message. What you ask for may be harder.'
      : state === 'ended'
        ? 'No task could be made of this project, so nothing is known of a model in it.'
        : 'No task is made yet, so nothing is known of a model in this project.';
  return [...(project?.notes ?? []), ...few, ...left, ...checked, small];
}

/** The report as Markdown. */
export function calibrationMarkdown(
  view: CalibrationView,
  month: MonthReport | null,
  currency: Currency | null,
): string {
  const rows = solvedRows(view);
  const lines = [
    '# What a model is worth in this repository',
    '',
    ...table(
      solvedHead,
      rows.map((row) => solvedCells(row, currency)),
    ),
    '',
    ...(month === null
      ? []
      : ['## A month of your work', '', ...monthLines(month, currency).map((line) => `- ${escapeMarkdown(line)}`), '']),
    ...currencyNotes(currency).flatMap((note) => [escapeMarkdown(note), '']),
    '## What this does not say',
    '',
    ...unknownNotes(view).map((note) => `- ${escapeMarkdown(note)}`),
    '',
    '## Tasks',
    '',
    ...table(
      ['task', 'kind', 'size', 'what', ...models(view)],
      view.tasks.map((task) => taskCells(view, task)),
    ),
    '',
    '## Candidates that were left out',
    '',
    ...table(
      ['why', 'number'],
      Object.entries(view.dropped).map(([why, count]) => [why, String(count)]),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

export const models = ({ runs }: CalibrationView): readonly string[] => [...new Set(runs.map(({ model }) => model))];

export function taskCells(view: CalibrationView, task: CalibrationView['tasks'][number]): readonly string[] {
  const results = models(view).map((model) => {
    const run = view.runs.find((one) => one.model === model && one.taskId === task.id);
    if (run === undefined || run.state === 'waiting' || run.state === 'running') return '-';
    if (run.solved === true) return 'solved';
    return `${run.solved === null ? 'unjudged' : 'not solved'}: ${run.why ?? ''}`;
  });
  return [task.id, task.kind, task.size, task.title, ...results];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)];
}
