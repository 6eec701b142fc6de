import { escapeHtml } from '@shared/text/escape-html.ts';
import { bothText, type Currency, inBoth, inCurrency, rateText } from '@shared/money/currency.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { sheetCell } from '@shared/text/csv-text.ts';
import type { Comparison, ComparisonRun } from './comparison.ts';
import { preferenceOf } from './pair-verdicts.ts';
import { durationText } from '@shared/text/duration-text.ts';
import {
  type ComparisonRow,
  wayDifferences,
  comparisonCells,
  comparisonHead,
  comparisonRows,
  counterfactualLegend,
  percentText,
  preferenceWords,
} from './comparison-table.ts';

/** A part of a report: a table under its title. */
export interface ReportTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly note: string | null;
}

/**
 * What the runs say, in two or three sentences: who solved how many, whether that can be chance, and who was cheapest
 * and quickest. Null: there is nothing to compare yet.
 */
export function comparisonVerdict(comparison: Comparison, currency: Currency | null = null): string | null {
  const rows = comparisonRows(comparison);
  if (rows.length < 2 || rows.some(({ runs, wanted }) => runs < wanted || runs === 0)) return null;
  const least = [leastOf(rows, 'cost the least', moneyOf(currency)), leastOf(rows, 'was the quickest', secondsOf)];
  const said = [solvedVerdict(comparison, rows), preferredVerdict(rows), ...least];
  const text = said.filter((part) => part !== null).join(' ');
  return text === '' ? null : text;
}

/** How the answers were judged in pairs. Null: nobody judged any. */
function preferredVerdict(rows: readonly ComparisonRow[]): string | null {
  const judged = rows.flatMap(({ way, preference }) =>
    preference === null ? [] : [`${way} ${preferenceWords(preference)}`],
  );
  return judged.length === 0 ? null : `Judged in pairs: ${judged.join('; ')}.`;
}

function solvedVerdict(comparison: Comparison, rows: readonly ComparisonRow[]): string | null {
  if (rows.some(({ checked }) => checked === 0)) {
    const isOpen = rows.some(({ toJudge }) => toJudge > 0);
    return isOpen ? 'No check judged all ways, so look at the answers yourself.' : null;
  }
  const order = [...rows].sort((left, right) => shareOf(right) - shareOf(left));
  const [best] = order;
  const said = order.map(({ way, solved, checked }) => `${way} solved ${solved} of ${checked}`).join(', ');
  const worse = order.filter((row) => best !== undefined && shareOf(row) < shareOf(best));
  if (best === undefined || worse.length === 0) return `${said}: no difference.`;
  const differences = wayDifferences(comparison, best.way);
  const isSure = worse.every(({ way }) => {
    const { solved = null } = differences.find((one) => one.way === way) ?? {};
    return solved !== null && solved.high < 0;
  });
  return isSure ? `${said}.` : `${said}. With so few runs, that can be chance.`;
}

const shareOf = ({ solved, checked }: ComparisonRow): number => solved / checked;
const moneyOf =
  (currency: Currency | null) =>
  ({ costUsd }: ComparisonRow): Shown | null =>
    costUsd === null ? null : { value: costUsd.median, text: bothText(currency, costUsd.median) };
const secondsOf = ({ seconds }: ComparisonRow): Shown | null =>
  seconds === null ? null : { value: seconds.median, text: durationText(seconds.median * 1000) };

interface Shown {
  readonly value: number;
  readonly text: string;
}

/** Null when a value is unknown, or when two share the lowest. */
function leastOf(
  rows: readonly ComparisonRow[],
  what: string,
  of: (row: ComparisonRow) => Shown | null,
): string | null {
  const known = rows.flatMap((row) => {
    const shown = of(row);
    return shown === null ? [] : [{ ...shown, way: row.way }];
  });
  const [first, second] = [...known].sort((left, right) => left.value - right.value);
  if (known.length < rows.length || first === undefined || second === undefined) return null;
  return first.value === second.value ? null : `${first.way} ${what} (${first.text}; ${second.way}: ${second.text}).`;
}

/** What a comparison is about, in lines of a name and a value. */
export function reportFacts(
  comparison: Comparison,
  currency: Currency | null = null,
): readonly (readonly [string, string])[] {
  const { input, createdAt, judgements } = comparison;
  const verdict = comparisonVerdict(comparison, currency);
  const weak = weakChecksText(comparison);
  const [first, ...others] = input.tasks;
  const judged = judgements.flatMap((one) => (one.by === 'model' ? [one.costUsd] : []));
  const cost = judged.every((one) => one !== null) ? judged.reduce((sum, one) => sum + one, 0) : null;
  return [
    others.length === 0 ? ['Task', first?.text ?? ''] : ['Tasks', String(input.tasks.length)],
    ['Project', input.projectPath],
    ['Check', checkText(input)],
    ...(input.judge === undefined ? [] : [['Judge', `${input.judge.model} (${bothText(currency, cost)})`] as const]),
    ['Begun', new Date(createdAt).toISOString()],
    ...(verdict === null ? [] : [['Verdict', verdict] as const]),
    ...(weak === null ? [] : [['Weak checks', weak] as const]),
    ...(currency === null ? [] : [['Currency', rateText(currency)] as const]),
  ];
}

const mostNamed = 5;

/** Which tasks have a check that passed before any work, so it says little about their runs. Null: none has. */
export function weakChecksText({ input: { tasks }, runs }: Comparison): string | null {
  const weak = new Set(runs.flatMap(({ task, figures }) => (figures?.passedBefore === true ? [task] : [])));
  if (weak.size === 0) return null;
  const end = 'passed before any run, so it says little about';
  if (tasks.length === 1) return `The check ${end} the results.`;
  if (weak.size === tasks.length) return `The check of each task ${end} the results.`;
  const named = [...weak].sort((left, right) => left - right).slice(0, mostNamed);
  const names = named.map((task) => `"${seenWords(tasks[task]?.name ?? String(task + 1))}"`).join(', ');
  const more = weak.size > mostNamed ? ` and ${weak.size - mostNamed} more` : '';
  return `For ${weak.size} of ${tasks.length} tasks, the check ${end} their results: ${names}${more}.`;
}

/** What judged the runs of tasks, those with a check of their own first. */
function checkText({ tasks, check }: Comparison['input']): string {
  const usual = check ?? 'the test command of the project';
  const own = tasks.filter(
    (task) => task.check !== undefined || task.hidden !== undefined || task.answer !== undefined,
  );
  if (own.length === 0) return usual;
  return own.length === tasks.length ? 'that of each task' : `that of the task, or else ${usual}`;
}

/** The tables of a report: the ways, each against the first one, the tasks if there are several, the verdicts, the runs. */
export function reportTables(comparison: Comparison, currency: Currency | null = null): readonly ReportTable[] {
  const { input, runs, judgements } = comparison;
  const taskName = (task: number): string => input.tasks[task]?.name ?? String(task + 1);
  const against = wayDifferences(comparison);
  const rows = comparisonRows(comparison);
  const pairs = against.filter((one) => one.pairs > 0);
  const begun = input.tasks.flatMap(({ name, note }) => (note === undefined ? [] : [[name, note]]));
  return [
    {
      title: 'Ways',
      head: comparisonHead,
      rows: rows.map((row) => comparisonCells(row, currency)),
      note: counterfactualLegend,
    },
    ...(pairs.length === 0
      ? []
      : [
          {
            title: `Against ${rows[0]?.way ?? ''}`,
            head: ['way', 'pairs', 'solved', 'seconds', 'money'],
            rows: pairs.map(({ way, pairs: count, solved, seconds, costUsd }) => [
              way,
              String(count),
              differenceText(solved, (value) => percentText(value)),
              differenceText(seconds, (value) => value.toFixed(1)),
              inBoth({ currency }, (show) =>
                differenceText(costUsd, (value) => (value < 0 ? `-${show(-value)}` : show(value))),
              ),
            ]),
            note: 'The same runs of the same tasks, minus those of the first way, with 95 % intervals. A difference whose interval includes 0 can be chance.',
          },
        ]),
    ...(input.tasks.length < 2
      ? []
      : [{ title: 'Tasks', head: ['task', ...rows.map(({ way }) => way)], rows: taskRows(comparison), note: null }]),
    ...(begun.length === 0
      ? []
      : [
          {
            title: 'What tasks began with',
            head: ['task', 'not as before its first message'],
            rows: begun,
            note: null,
          },
        ]),
    ...(judgements.length === 0
      ? []
      : [
          {
            title: 'Verdicts',
            head: ['task', 'run', 'first', 'second', 'better', 'by', 'why'],
            rows: judgements.map(({ task, repeat, left, right, verdict, by, why }) => [
              taskName(task),
              String(repeat),
              left,
              right,
              verdict === 'left' ? left : verdict === 'right' ? right : (verdict ?? 'no verdict'),
              by,
              why,
            ]),
            note: null,
          },
        ]),
    {
      title: 'Runs',
      head: ['way', 'task', 'run', 'state', 'check', 'status', 'steps', 'seconds', 'money', 'session'],
      rows: runs.map((run) => runCells(run, taskName(run.task), currency)),
      note: null,
    },
  ];
}

/** For each task, how many runs of each way solved it. Without a check, how its answers were judged. */
function taskRows(comparison: Comparison): readonly (readonly string[])[] {
  const { input, runs } = comparison;
  const names = [...new Set(runs.map(({ way }) => way))];
  return input.tasks.map(({ name }, task) => [
    name,
    ...names.map((way) => {
      const ended = runs.filter((run) => run.task === task && run.way === way && run.state === 'ended');
      const checked = ended.filter((run) => typeof run.check?.passed === 'boolean');
      const solved = checked.filter((run) => run.check?.passed === true).length;
      if (checked.length > 0) return `${solved} of ${checked.length}`;
      const judged = preferenceOf(comparison, way, (pair) => pair.task === task);
      return judged !== null ? preferenceWords(judged) : ended.length === 0 ? '-' : 'no check';
    }),
  ]);
}

function differenceText(found: Interval | null, show: (value: number) => string): string {
  if (found === null) return '-';
  const sign = (value: number): string => `${value > 0 ? '+' : ''}${show(value)}`;
  return `${sign(found.value)} (${sign(found.low)} to ${sign(found.high)})`;
}

/** The comparison as Markdown. */
export function comparisonMarkdown(comparison: Comparison, currency: Currency | null = null): string {
  const lines = [
    `# Comparison ${comparison.id}`,
    '',
    ...reportFacts(comparison, currency).map(([name, value]) => `- ${name}: ${escape(value)}`),
    ...reportTables(comparison, currency).flatMap(({ title, head, rows, note }) => [
      '',
      `## ${escape(title)}`,
      '',
      ...tableOf(head, rows),
      ...(note === null ? [] : ['', note]),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(escape).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** A text from outside as one table cell: without line breaks and markup. */
function escape(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\\`*_[\]<>|#]/gu, '\\$&');
}

/** The comparison as a page of its own, without a script and without anything from elsewhere. */
export function comparisonPage(comparison: Comparison, currency: Currency | null = null): string {
  const cells = (tag: 'th' | 'td', texts: readonly string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')}</tr>`;
  const tables = reportTables(comparison, currency).map(
    ({ title, head, rows, note }) =>
      `<h2>${escapeHtml(title)}</h2><div class="wide"><table><thead>${cells('th', head)}</thead><tbody>${rows
        .map((row) => cells('td', row))
        .join('')}</tbody></table></div>${note === null ? '' : `<p class="note">${escapeHtml(note)}</p>`}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Comparison ${escapeHtml(comparison.id)}</title><style>${pageStyle}</style></head><body>
<h1>Comparison ${escapeHtml(comparison.id)}</h1>
<dl>${reportFacts(comparison, currency)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('')}</dl>
${solvedBars(comparison)}
${tables.join('\n')}
</body></html>
`;
}

/** The share of solved runs of each way as a bar, with its interval as a line. */
function solvedBars(comparison: Comparison): string {
  const rows = comparisonRows(comparison).filter(({ solvedShare }) => solvedShare !== null);
  if (rows.length === 0) return '';
  const bars = rows.map(({ way, solvedShare, solved, checked }, index) => {
    const { value = 0, low = 0, high = 0 } = solvedShare ?? {};
    const y = index * 34;
    return `<text x="0" y="${y + 13}">${escapeHtml(way)}: ${solved} of ${checked}</text><rect x="0" y="${y + 18}" width="${value * 600}" height="8"/><line x1="${low * 600}" x2="${high * 600}" y1="${y + 22}" y2="${y + 22}"/>`;
  });
  return `<h2>Solved, with 95 % intervals</h2><svg role="img" aria-label="Solved share of each way" viewBox="0 0 600 ${rows.length * 34}">${bars.join('')}</svg>`;
}

const pageStyle =
  ':root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:100rem;margin:2rem auto;padding:0 1rem}h2{font-size:1.05rem;margin-top:2rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{opacity:.7}dd{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}.wide{overflow-x:auto}table{border-collapse:collapse}th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8885;white-space:nowrap}th:first-child,td:first-child{position:sticky;left:0;background:Canvas}dl,.note{max-width:72rem}.note{opacity:.75}svg{width:100%;max-width:600px}svg text{fill:currentColor;font-size:13px}rect{fill:#3b82c4}line{stroke:currentColor;stroke-width:2}@media (max-width:40rem),print{th:first-child,td:first-child{position:static}}@media print{.wide{overflow:visible}th,td{white-space:normal}}';

/**
 * One line for each run, for a spreadsheet. Figures have no units, a missing value is an empty cell, and no text can be
 * read as a formula. With a currency, its columns come last.
 */
export function comparisonCsv(comparison: Comparison, currency: Currency | null = null): string {
  const lines = comparison.runs.map((run) => {
    const task = comparison.input.tasks[run.task];
    const judged = preferenceOf(
      comparison,
      run.way,
      ({ task: at, repeat }) => at === run.task && repeat === run.repeat,
    );
    const verdicts = [judged?.better ?? null, judged?.even ?? null, judged?.worse ?? null];
    const about = [task?.name ?? '', task?.text ?? '', task?.note ?? ''];
    return [...sheetCells(run), ...about, ...verdicts, ...currencyCells(run, currency)].map(sheetCell).join(',');
  });
  const head = [
    ...csvHead,
    'task',
    'text',
    'note',
    'better',
    'even',
    'worse',
    ...(currency === null ? [] : currencyHead),
  ];
  return [head.join(','), ...lines].map((line) => `${line}\n`).join('');
}

const csvHead = [
  'way',
  'repeat',
  'state',
  'solved',
  'status',
  'steps',
  'local_steps',
  'seconds',
  'model_seconds',
  'fresh_input',
  'cache_read',
  'cache_write',
  'output',
  'usd',
  'usd_if_all_cloud',
  'seconds_if_all_here',
  'energy_wh',
  'energy_usd',
  'hardware_usd',
  'session',
  'check',
  'why',
] as const;

const currencyHead = ['currency', 'per_usd', 'money', 'money_if_all_cloud', 'energy_money', 'hardware_money'] as const;

function currencyCells({ figures }: ComparisonRun, currency: Currency | null): readonly (string | number | null)[] {
  if (currency === null) return [];
  const sums = [figures?.costUsd, figures?.elsewhere?.cloudUsd?.value, figures?.energyUsd, figures?.hardwareUsd];
  return [
    currency.code,
    currency.perUsd,
    ...sums.map((usd) => (usd === null || usd === undefined ? null : inCurrency(currency, usd))),
  ];
}

function sheetCells({ way, repeat, state, check, figures, sessionId, why }: ComparisonRun) {
  const { tokens } = figures ?? {};
  return [
    way,
    repeat,
    state,
    check?.passed ?? null,
    figures?.status ?? null,
    figures?.steps ?? null,
    figures?.localSteps ?? null,
    figures?.seconds ?? null,
    figures?.modelSeconds ?? null,
    tokens?.freshInput ?? null,
    tokens?.cacheRead ?? null,
    tokens?.cacheWrite ?? null,
    tokens?.output ?? null,
    // An unknown price is not 0, and differs from a run that did not happen.
    figures === null ? null : (figures.costUsd ?? 'unpriced'),
    figures?.elsewhere?.cloudUsd?.value ?? null,
    figures?.elsewhere?.localSeconds?.value ?? null,
    figures?.energyWh ?? null,
    figures?.energyUsd ?? null,
    figures?.hardwareUsd ?? null,
    sessionId,
    check?.command ?? null,
    why ?? check?.summary ?? null,
  ];
}

function runCells(run: ComparisonRun, task: string, currency: Currency | null): readonly string[] {
  const { figures, check } = run;
  const judged =
    check === null ? '-' : check.passed === null ? `not run: ${check.summary}` : check.passed ? 'passed' : 'failed';
  return [
    run.way,
    task,
    String(run.repeat),
    run.why === null ? run.state : `${run.state}: ${run.why}`,
    judged,
    figures?.status ?? '-',
    figures === null ? '-' : String(figures.steps),
    figures === null ? '-' : figures.seconds.toFixed(1),
    figures === null ? '-' : bothText(currency, figures.costUsd),
    run.sessionId ?? '-',
  ];
}
