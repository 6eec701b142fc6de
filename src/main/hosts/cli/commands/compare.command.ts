import { resolve } from 'node:path';
import type { Comparison, ComparisonInput, ComparisonRun } from '@shared/comparisons/comparison.ts';
import { comparisonInputSchema } from '@shared/comparisons/comparison.ts';
import {
  comparisonCells,
  comparisonHead,
  comparisonCsv,
  comparisonMarkdown,
  counterfactualLegend,
  comparisonRows,
} from '@shared/comparisons/comparison-table.ts';
import { issueText } from '../../../lib/issue-text.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { escapedJson } from '@shared/text/seen-text.ts';
import { jsonText } from '../../../lib/files/json-file.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';
import { createLiveView } from '../terminal/live-view.ts';
import { ensureModel } from './models/models.command.ts';
import { checkOutputFile, writeOutputFile } from '../terminal/output-file.ts';
import { readTask } from '../turn/read-task.ts';
import { requireModels } from '../../text/require-models.ts';
import type { Terminal } from '../../text/terminal.ts';
import { pluralize, dateAndTime, jsonLine, oneLine, seconds, table } from '../../text/terminal.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';
import { orNoted } from '../../../lib/log.ts';

export interface CompareArguments {
  readonly project?: string;
  readonly policies?: string;
  readonly check?: string;
  readonly repeat?: string;
  readonly local?: string;
  readonly cloud?: string;
  readonly strategy?: string;
  readonly maxUsd?: string;
  readonly seed?: string;
  readonly resume?: string;
  readonly list?: boolean;
  readonly report?: string;
  readonly json?: boolean;
}

/** Runs the same task under several policies and shows the results in a table. */
export const compare: Command<[string | undefined, CompareArguments]> = async (context, taskText, args) => {
  const { terminal } = context;
  if (args.list === true) return listComparisons(context, args);
  if (args.report !== undefined) await checkOutputFile(args.report);
  const maxUsd = args.maxUsd === undefined ? undefined : numberOf('max-usd', args.maxUsd);
  const id = await comparisonFor(context, taskText, args, maxUsd);
  await (await context.core()).comparisons.show({ id });
  terminal.err(`${terminal.colors.dim(`comparison ${id}`)}\n`);
  const comparison = await carryOut(context, id, maxUsd);
  if (args.json === true) terminal.out(jsonLine({ ...comparison, rows: comparisonRows(comparison) }));
  else showTable(comparison, terminal);
  if (args.report !== undefined) await writeOutputFile(args.report, reportText(args.report, comparison));
  const open = comparison.runs.filter((run) => run.state !== 'ended').length;
  if (open > 0) terminal.err(`${open} runs are left. Resume them: dewpoint compare --resume ${id}\n`);
  return context.signal.aborted ? 130 : comparison.runs.some((run) => run.state === 'skipped') ? 3 : exitOf(comparison);
};

/** Exit code 5: no run could work, because something is missing on this machine. */
function exitOf({ runs }: Comparison): number {
  const isMissing = (run: ComparisonRun): boolean => run.figures?.status === 'missing';
  return runs.length > 0 && runs.every(isMissing) ? 5 : runs.every((run) => run.state === 'ended') ? 0 : 1;
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
    const left = begunWith.filter((name) => args[name] !== undefined).map((name) => `--${name}`);
    if (left.length > 0)
      throw usageError(`--resume keeps the options of the comparison. Leave out ${left.join(', ')}.`);
    return args.resume === 'last' ? lastOf(await core.comparisons.list()) : args.resume;
  }
  if (taskText === undefined) throw usageError('Describe a task, or resume a comparison with --resume.');
  const input = parseInput(await readTask(taskText), args, maxUsd);
  await requireModels(context, input);
  const needsLocal = input.policies.some((policy) => policy !== 'cloud');
  if (needsLocal) await ensureModel(context, input);
  return (await core.comparisons.create(input, { signal: context.signal })).id;
}

/** Options that cannot change after the start, because runs with different values could not be compared. */
const begunWith = ['project', 'policies', 'check', 'repeat', 'local', 'cloud', 'strategy', 'seed'] as const;

function lastOf(comparisons: readonly Comparison[]): string {
  const [last] = comparisons;
  if (last === undefined) throw usageError('No comparisons yet.');
  return last.id;
}

/** Checks the options before anything starts. The core checks them again. */
export function parseInput(task: string, args: CompareArguments, maxUsd: number | undefined): ComparisonInput {
  if (args.project === undefined) throw usageError('Name the project: --project DIR. Each run works on a copy of it.');
  const policies = (args.policies ?? 'local,hybrid,cloud')
    .split(',')
    .map((policy) => policy.trim())
    .filter((policy) => policy !== '');
  const { check, local, cloud, strategy } = args;
  const parsed = comparisonInputSchema.safeParse({
    task,
    projectPath: resolve(args.project),
    policies: [...new Set(policies)],
    check,
    local,
    cloud,
    strategy,
    maxUsd,
    ...(args.repeat === undefined ? {} : { repeat: numberOf('repeat', args.repeat) }),
    ...(args.seed === undefined ? {} : { seed: numberOf('seed', args.seed) }),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw usageError(
    `The value of --${String(issue?.path[0] ?? '')} is wrong: ${issueText(issue)}.`,
    'See: dewpoint compare --help',
  );
}

/** The number that a flag takes. */
export function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw usageError(`--${name} takes a number from 0, not "${text}".`);
  }
  return value;
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
        if (shown?.runs[index]?.state !== run.state) announce(context, run, shown !== null);
      }
      shown = comparison;
    }
  } finally {
    context.signal.removeEventListener('abort', cancel);
  }
  return core.comparisons.show({ id });
}

function announce(context: CommandContext, run: ComparisonRun, isNew: boolean): void {
  const { terminal } = context;
  const name = `${run.policy} ${run.repeat}`;
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
      ? 'it could not be checked'
      : check.passed === null
        ? `the check could not be run (${oneLine(check.summary, 120)})`
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

function showTable(comparison: Comparison, terminal: Terminal): void {
  const rows = comparisonRows(comparison);
  for (const line of table([comparisonHead, ...rows.map(comparisonCells)])) terminal.out(`${line}\n`);
  if (rows.some(({ runs }) => runs > 0)) terminal.err(terminal.colors.dim(`${counterfactualLegend}\n`));
  if (comparison.runs.some((run) => run.figures?.passedBefore === true)) {
    terminal.err(
      `${terminal.colors.yellow('The check passed before any run')}, so it says little about the results.\n`,
    );
  }
  const kept = comparison.runs.find((run) => run.check?.passed === true)?.sessionId;
  if (kept !== undefined && kept !== null) {
    terminal.err(
      `${terminal.colors.dim(`see the changes: dewpoint changes ${kept}   apply them to the project: … take`)}\n`,
    );
  }
}

/** The report as JSON or CSV if the file name ends that way, otherwise as Markdown. */
function reportText(path: string, comparison: Comparison): string {
  if (path.endsWith('.json')) return escapedJson(jsonText({ ...comparison, rows: comparisonRows(comparison) }));
  return path.endsWith('.csv') ? comparisonCsv(comparison) : comparisonMarkdown(comparison);
}

async function listComparisons({ core, terminal }: CommandContext, args: CompareArguments): Promise<number> {
  const all = await (await core()).comparisons.list();
  if (args.json === true) terminal.out(jsonLine(all));
  else if (all.length === 0) terminal.err('No comparisons yet.\n');
  else {
    for (const { id, createdAt, input, runs } of all) {
      const ended = runs.filter((run) => run.state === 'ended').length;
      const when = dateAndTime(createdAt);
      terminal.out(`${id}  ${when}  ${ended} of ${runs.length} runs  ${oneLine(input.task, 60)}\n`);
    }
  }
  return 0;
}
