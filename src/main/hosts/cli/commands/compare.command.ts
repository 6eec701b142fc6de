import { isLeftAtLimit, type Comparison, type ComparisonRun } from '@shared/comparisons/comparison.ts';
import {
  comparisonCsv,
  comparisonMarkdown,
  comparisonPage,
  comparisonVerdict,
  reportTables,
  weakChecksText,
} from '@shared/comparisons/comparison-report.ts';
import {
  comparisonCells,
  comparisonHead,
  counterfactualLegend,
  comparisonRows,
} from '@shared/comparisons/comparison-table.ts';
import { isNeverRan, pairsForYou } from '@shared/comparisons/pair-verdicts.ts';
import type { Currency } from '@shared/money/currency.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { escapedJson, seenWords } from '@shared/text/seen-text.ts';
import { jsonText } from '../../../lib/files/json-file.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';
import { createLiveView } from '../terminal/live-view.ts';
import { ensureModel } from './models/models.command.ts';
import { shownCurrency } from '../../text/shown-currency.ts';
import { wayHint } from '../reports/use-way.ts';
import { checkOutputFile, writeOutputFile } from '../terminal/output-file.ts';
import { type CompareInputArguments, comparedBy, numberOf, readCompareInput } from '../turn/compare-input.ts';
import { requireModels } from '../../text/require-models.ts';
import type { Terminal } from '../../text/terminal.ts';
import { pluralize, dateAndTime, jsonLine, oneLine, seconds, table } from '../../text/terminal.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';
import { orNoted } from '../../../lib/log.ts';

export interface CompareArguments extends CompareInputArguments {
  readonly maxUsd?: string;
  readonly resume?: string;
  readonly list?: boolean;
  readonly report?: readonly string[];
  readonly json?: boolean;
}

/** Lets several ways do the same tasks and shows the results in a table. */
export const compare: Command<[string | undefined, CompareArguments]> = async (context, taskText, args) => {
  const { terminal } = context;
  if (args.list === true) return listComparisons(context, args);
  const files = args.report ?? [];
  for (const file of files) await checkOutputFile(file);
  const maxUsd = args.maxUsd === undefined ? undefined : numberOf('max-usd', args.maxUsd);
  const id = await comparisonFor(context, taskText, args, maxUsd);
  const { input } = await (await context.core()).comparisons.show({ id });
  terminal.err(`${terminal.colors.dim(`comparison ${id}`)}\n`);
  for (const { name, note } of input.tasks) {
    if (note !== undefined) terminal.err(`${oneLine(seenWords(name), 40)}: ${seenWords(note)}\n`);
  }
  const comparison = await carryOut(context, id, maxUsd);
  const currency = await shownCurrency(await context.core());
  if (args.json === true) terminal.out(jsonLine({ ...comparison, rows: comparisonRows(comparison) }));
  else showTable(comparison, terminal, currency);
  for (const file of files) await writeOutputFile(file, reportText(file, comparison, currency));
  const open = comparison.runs.filter((run) => run.state !== 'ended').length;
  if (open > 0) terminal.err(`Left: ${pluralize(open, 'run')}. Resume: dewpoint compare --resume ${id}\n`);
  return context.signal.aborted ? 130 : comparison.runs.some(isLeftAtLimit) ? 3 : exitOf(comparison);
};

/** Exit code 5: no run could work, because something is missing on this machine. */
function exitOf({ runs }: Comparison): number {
  return runs.length > 0 && runs.every(isNeverRan) ? 5 : runs.every((run) => run.state === 'ended') ? 0 : 1;
}

async function comparisonFor(
  context: CommandContext,
  taskText: string | undefined,
  args: CompareArguments,
  maxUsd: number | undefined,
): Promise<string> {
  const core = await context.core();
  if (args.resume !== undefined) {
    if (taskText !== undefined) throw usageError('--resume keeps the task of the comparison. Leave out the task.');
    const left = comparedBy.filter((name) => args[name] !== undefined).map((name) => `--${name}`);
    if (left.length > 0)
      throw usageError(`--resume keeps the options of the comparison. Leave out ${left.join(', ')}.`);
    return args.resume === 'last' ? lastOf(await core.comparisons.list()) : args.resume;
  }
  const input = await readCompareInput(context, taskText, { args, maxUsd });
  const { projectPath } = input;
  for (const way of input.ways) {
    const models = { local: way.local ?? input.local, cloud: way.cloud ?? input.cloud };
    await requireModels(context, { ...models, policies: [way.policy], projectPath });
    await ensureModel(context, { local: models.local, policy: way.policy, projectPath });
  }
  if (input.judge !== undefined) await core.models.show({ id: input.judge.model }, { signal: context.signal });
  return (await core.comparisons.create(input, { signal: context.signal })).id;
}

function lastOf(comparisons: readonly Comparison[]): string {
  const [last] = comparisons;
  if (last === undefined) throw usageError('No comparisons yet.');
  return last.id;
}

/** Starts the comparison and shows each run until all have ended. Ctrl-C cancels the comparison. */
async function carryOut(context: CommandContext, id: string, maxUsd: number | undefined): Promise<Comparison> {
  const core = await context.core();
  // It may have ended already, or the core may be gone: then there is nothing to cancel.
  const cancel = (): void =>
    void core.comparisons.cancel({ id }).catch(orNoted('The comparison was not cancelled', undefined));
  context.signal.addEventListener('abort', cancel, { once: true });
  try {
    await core.comparisons.start(maxUsd === undefined ? { id } : { id, maxUsd });
    if (context.signal.aborted) cancel();
    let shown: Comparison | null = null;
    for await (const comparison of await core.comparisons.watch({ id })) {
      for (const [index, run] of comparison.runs.entries()) {
        if (shown?.runs[index]?.state !== run.state) announce(context, comparison, { run, isNew: shown !== null });
      }
      if (shown !== null) announceVerdicts(context, shown, comparison);
      shown = comparison;
    }
  } finally {
    context.signal.removeEventListener('abort', cancel);
  }
  return core.comparisons.show({ id });
}

function announceVerdicts({ terminal }: CommandContext, before: Comparison, { input, judgements }: Comparison): void {
  for (const { task, repeat, left, right, verdict, why } of judgements.slice(before.judgements.length)) {
    const better = verdict === 'left' ? left : verdict === 'right' ? right : (verdict ?? 'no verdict');
    const name = input.tasks.length === 1 ? '' : `${oneLine(input.tasks[task]?.name ?? '', 40)}, `;
    terminal.err(`judged ${name}run ${repeat}: ${left} against ${right}: ${better}. ${oneLine(why, 160)}\n`);
  }
}

function announce(
  context: CommandContext,
  { input }: Comparison,
  { run, isNew }: { readonly run: ComparisonRun; readonly isNew: boolean },
): void {
  const { terminal } = context;
  const task = input.tasks.length === 1 ? '' : `, ${oneLine(input.tasks[run.task]?.name ?? '', 40)}`;
  const name = `${run.way} ${run.repeat}${task}`;
  if (run.state === 'running' && run.sessionId !== null) {
    terminal.err(`${name}: session ${run.sessionId}\n`);
    // This only shows the run. The comparison itself reports how the run ends.
    void follow(context, run.sessionId).catch(orNoted('A run of the comparison was not followed', undefined));
  }
  if (!isNew) return;
  if (run.state === 'ended') terminal.err(`${name}: ${endText(run)}\n`);
  if (run.state === 'skipped' || (run.state === 'waiting' && run.why !== null)) {
    terminal.err(`${name}: not run: ${oneLine(run.why ?? '', 200)}\n`);
  }
}

function endText({ check, figures, why: unlike }: ComparisonRun): string {
  if (figures === null) return 'ended';
  const judged =
    check === null
      ? 'no check judged it'
      : check.passed === null
        ? `no check could judge it (${oneLine(check.summary, 120)})`
        : `the check ${check.passed ? 'passed' : 'failed'}`;
  const before = figures.passedBefore === true ? '; it passed before the run, too' : '';
  const why = figures.status === 'done' ? '' : ` (${oneLine(figures.reason, 160)})`;
  const cost = `${pluralize(figures.steps, 'step')}, ${seconds(figures.seconds * 1000)}, ${moneyText(figures.costUsd)}`;
  return `${figures.status}${why}, ${judged}${before}; ${cost}${unlike === null ? '' : `. ${unlike}`}`;
}

/** Shows the steps of one run as they happen, until its turn has ended. */
async function follow({ core, terminal, now, signal }: CommandContext, sessionId: string): Promise<void> {
  if (!terminal.isLive) return;
  const view = createLiveView(terminal, now);
  const stop = childAbort(signal);
  try {
    for await (const push of await (await core()).sessions.events({ sessionId, fromSeq: 1 }, { signal: stop.signal })) {
      if (push.type === 'transients') for (const item of push.items) view.transient(item);
      if (push.type !== 'events') continue;
      for (const event of push.events) view.event(event);
      if (push.events.some((event) => event.type === 'turn-ended')) return;
    }
  } finally {
    stop.release();
    stop.abort();
    view.close();
  }
}

function showTable(comparison: Comparison, terminal: Terminal, currency: Currency | null): void {
  const rows = comparisonRows(comparison);
  for (const line of table([comparisonHead, ...rows.map((row) => comparisonCells(row, currency))]))
    terminal.out(`${line}\n`);
  if (rows.some(({ runs }) => runs > 0)) terminal.err(terminal.colors.dim(`${counterfactualLegend}\n`));
  for (const { title, head, rows: lines, note } of reportTables(comparison, currency)) {
    if (title === 'Ways' || title === 'Runs' || title === 'Verdicts') continue;
    terminal.out(`\n${title}\n`);
    for (const line of table([head, ...lines])) terminal.out(`${line}\n`);
    if (note !== null) terminal.err(terminal.colors.dim(`${note}\n`));
  }
  const verdict = comparisonVerdict(comparison, currency);
  if (verdict !== null) terminal.out(`\n${seenWords(verdict)}\n`);
  const open = pairsForYou(comparison).length;
  if (open > 0) terminal.err(`${pluralize(open, 'pair')} of answers to judge: open the comparison in the window.\n`);
  const weak = weakChecksText(comparison);
  if (weak !== null) terminal.err(`${terminal.colors.yellow(weak)}\n`);
  if (rows.length > 1) terminal.err(`${terminal.colors.dim(wayHint)}\n`);
  const kept = comparison.runs.find((run) => run.check?.passed === true)?.sessionId;
  if (kept !== undefined && kept !== null) {
    terminal.err(
      `${terminal.colors.dim(`see the changes: dewpoint changes ${kept}   apply them to the project: … take`)}\n`,
    );
  }
}

/** The report as JSON, CSV or HTML if the file name ends that way, otherwise as Markdown. */
function reportText(path: string, comparison: Comparison, currency: Currency | null): string {
  if (/\.json$/iu.test(path)) {
    const rate = currency === null ? {} : { currency };
    return escapedJson(jsonText({ ...comparison, rows: comparisonRows(comparison), ...rate }));
  }
  if (/\.html?$/iu.test(path)) return comparisonPage(comparison, currency);
  return /\.csv$/iu.test(path) ? comparisonCsv(comparison, currency) : comparisonMarkdown(comparison, currency);
}

function titleOf({ tasks: [first, ...others] }: Comparison['input']): string {
  return others.length === 0 ? (first?.name ?? '') : `${others.length + 1} tasks: ${first?.name ?? ''}, …`;
}

async function listComparisons({ core, terminal }: CommandContext, args: CompareArguments): Promise<number> {
  const all = await (await core()).comparisons.list();
  if (args.json === true) terminal.out(jsonLine(all));
  else if (all.length === 0) terminal.err('No comparisons yet.\n');
  else {
    for (const { id, createdAt, input, runs } of all) {
      const ended = runs.filter((run) => run.state === 'ended').length;
      const when = dateAndTime(createdAt);
      terminal.out(`${id}  ${when}  ${ended} of ${runs.length} runs  ${oneLine(titleOf(input), 60)}\n`);
    }
  }
  return 0;
}
