import { resolve } from 'node:path';
import type { Comparison, ComparisonInput, ComparisonRun } from '@shared/comparisons/comparison.ts';
import { comparisonInputSchema, isLeftAtLimit, leftAtLimit } from '@shared/comparisons/comparison.ts';
import { comparisonTaskOf, madePath, type EvalTask, type EvalTasks } from '@shared/comparisons/eval-tasks.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { escapedJson, seenName, seenWords } from '@shared/text/seen-text.ts';
import { canonicalJson } from '../../../../lib/canonical-json.ts';
import { globMatcher } from '../../../../lib/files/glob-matcher.ts';
import { jsonText } from '../../../../lib/files/json-file.ts';
import { issueText } from '../../../../lib/issue-text.ts';
import { orNoted } from '../../../../lib/log.ts';
import { recordedEvents } from '../../../connection/recorded-events.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { requireModels, usualModels } from '../../../text/require-models.ts';
import { jsonLine, oneLine, pluralize, table } from '../../../text/terminal.ts';
import { checkOutputFile, writeOutputFile } from '../../terminal/output-file.ts';
import {
  evalMarkdown,
  evalPage,
  evalRows,
  evalTable,
  namedText,
  pairedLines,
  type EvalRun,
} from '../../reports/eval-report.ts';
import { shownCurrency } from '../../../text/shown-currency.ts';
import { wayHint } from '../../reports/use-way.ts';
import { numberOf } from '../../turn/compare-input.ts';

export interface EvalArguments {
  readonly repos?: string;
  readonly policies?: string;
  /** Several are separated by commas. */
  readonly local?: string;
  readonly cloud?: string;
  readonly strategy?: string;
  readonly repeat?: string;
  readonly seed?: string;
  readonly only?: string;
  readonly limit?: string;
  readonly maxUsd?: string;
  readonly fresh?: boolean;
  /** Does experiments, too. */
  readonly experiments?: boolean;
  readonly report?: readonly string[];
  readonly json?: boolean;
}

/** One task with one choice of models: its runs are those of a comparison. */
interface Part {
  readonly task: EvalTask;
  readonly input: ComparisonInput;
}

/** Runs all tasks in all ways, each in a copy. The same command again goes on where it stopped. */
export const evaluate: Command<[string, EvalArguments]> = async (context, path, args) => {
  for (const file of args.report ?? []) await checkOutputFile(file);
  const core = await context.core();
  const repos = args.repos === undefined ? null : resolve(args.repos);
  const asked = { path: resolve(path), repos, experiments: args.experiments === true, isHeld: true };
  const found = await core.comparisons.tasks(asked, { signal: context.signal });
  return evaluateTasks(context, { path, found }, args).finally(() => dropMade(context, found));
};

async function evaluateTasks(
  context: CommandContext,
  { path, found }: { readonly path: string; readonly found: EvalTasks },
  args: EvalArguments,
): Promise<number> {
  const { terminal, signal } = context;
  const core = await context.core();
  const fits = args.only === undefined ? null : globMatcher(args.only);
  const without = unjudged(found);
  const skipped = [...found.skipped, ...without];
  for (const { id, why } of skipped) terminal.err(`not run: ${seenName(id)}: ${seenWords(why)}\n`);
  const chosen = found.tasks.filter(({ id }) => !without.some((one) => one.id === id) && (fits?.(id) ?? true));
  const tasks = args.limit === undefined ? chosen : chosen.slice(0, numberOf('limit', args.limit));
  // Named, so that the report says which models worked, and another model in the settings is another evaluation.
  const usual = await usualModels(core, {});
  const parts = tasks.map((task) => partOf(task, args, usual));
  const [first] = parts;
  if (first === undefined) throw usageError('No task is left.', 'See: dewpoint eval --help');
  for (const { policy, local, cloud } of first.input.ways)
    await requireModels(context, { local, cloud, policies: [policy] });
  terminal.err(`${pluralize(tasks.length, 'task')} in the form "${found.form}"\n`);
  for (const { id, note } of tasks) {
    if (note !== undefined) terminal.err(`${seenName(id)}: ${seenWords(note)}\n`);
  }
  const runs = await runAll(context, parts, args);
  const currency = await shownCurrency(core);
  const rate = currency === null ? {} : { currency };
  const report = { title: `Evaluation of ${seenName(path)}`, runs, skipped, ...rate };
  if (args.json === true) terminal.out(jsonLine({ ...report, rows: evalRows(runs) }));
  else {
    for (const line of table(evalTable(evalRows(runs), currency))) terminal.out(`${line}\n`);
    for (const line of pairedLines(runs)) terminal.out(`${line}\n`);
    if (evalRows(runs).length > 1) terminal.err(`${terminal.colors.dim(wayHint)}\n`);
  }
  for (const file of args.report ?? []) await writeOutputFile(file, reportText(file, report));
  if (signal.aborted) return 130;
  if (runs.some(({ state, why }) => isLeftAtLimit({ state, why }))) return 3;
  return runs.every(({ state }) => state === 'ended') ? 0 : 1;
}

/** Says what is left on the disk. Also after a stop or a failure. */
async function dropMade({ core, terminal }: CommandContext, { tasks }: EvalTasks): Promise<void> {
  const { comparisons } = await core();
  const dropped = await comparisons
    .dropTasks({ projectPaths: tasks.flatMap(madePath) })
    .catch(orNoted('The copies of tasks were not removed', null));
  if (dropped === null) return terminal.err('The copies of the tasks could not be removed: dewpoint clean\n');
  const { removed, removedBytes, kept, keptBytes } = dropped;
  const copies = (count: number): string => pluralize(count, 'task folder');
  if (removed > 0) terminal.err(`Removed ${copies(removed)} (${sizeText(removedBytes)}).\n`);
  if (kept > 0) terminal.err(`Kept ${copies(kept)} for runs that are not done (${sizeText(keptBytes)}).\n`);
}

/** An evaluation needs files and a judge for each task. A comparison has you for that. */
function unjudged({ tasks }: EvalTasks): EvalTasks['skipped'] {
  return tasks.flatMap(({ id, projectPath, check, hidden, answer }) => {
    if (projectPath !== null && (hidden !== null || check !== null || answer !== undefined)) return [];
    const why = projectPath === null ? 'it brings no files' : 'no command judges it';
    return [{ id, why: `${why}. Compare it: dewpoint compare --tasks FOLDER` }];
  });
}

function reportText(path: string, report: Parameters<typeof evalMarkdown>[0]): string {
  if (/\.json$/iu.test(path)) return escapedJson(jsonText({ ...report, rows: evalRows(report.runs) }));
  return /\.html?$/iu.test(path) ? evalPage(report) : evalMarkdown(report);
}

/** One comparison does a task in all ways. What never asks a local model is one way. */
function partOf(
  task: EvalTask,
  args: EvalArguments,
  usual: { readonly local: string | null; readonly cloud: string | null },
): Part {
  const list = (text: string): readonly string[] => [...new Set(text.split(',').map((one) => one.trim()))];
  const { cloud = usual.cloud ?? undefined, strategy } = args;
  const locals = args.local === undefined ? [usual.local ?? undefined] : list(args.local);
  const ways = list(args.policies ?? 'local').flatMap((policy) =>
    (policy === 'cloud' ? [undefined] : locals).map((local) => ({
      policy,
      ...(local === undefined ? {} : { local }),
      ...(cloud === undefined || policy === 'local' ? {} : { cloud }),
      ...(strategy === undefined || strategy === 'auto' ? {} : { strategy }),
    })),
  );
  const parsed = comparisonInputSchema.safeParse({
    tasks: [comparisonTaskOf(task)],
    projectPath: task.projectPath,
    ways,
    ...(args.repeat === undefined ? {} : { repeat: numberOf('repeat', args.repeat) }),
    ...(args.seed === undefined ? {} : { seed: numberOf('seed', args.seed) }),
  });
  if (parsed.success) return { task, input: parsed.data };
  const issue = parsed.error.issues[0];
  throw usageError(`The value of --${String(issue?.path[0] ?? '')} is wrong: ${issueText(issue)}.`);
}

async function runAll(
  context: CommandContext,
  parts: readonly Part[],
  args: EvalArguments,
): Promise<readonly EvalRun[]> {
  const { terminal, signal } = context;
  const core = await context.core();
  const known = args.fresh === true ? [] : await core.comparisons.list();
  const most = args.maxUsd === undefined ? null : numberOf('max-usd', args.maxUsd);
  const begun = parts.map(({ input }) => known.find((one) => isSame(one.input, input)));
  const runs: EvalRun[] = [];
  // Also what later tasks cost in an earlier start: the limit is for all of it.
  let spentUsd = begun.reduce((sum, one) => sum + spentOn(one), 0);
  for (const [index, { task, input }] of parts.entries()) {
    if (signal.aborted) break;
    const before = begun[index];
    const id = before?.id ?? (await core.comparisons.create(input, { signal })).id;
    const elsewhereUsd = spentUsd - spentOn(before);
    const left = most === null ? {} : { maxUsd: Math.max(0, most - elsewhereUsd) };
    const comparison = await carryOut(context, { id, ...left });
    spentUsd = elsewhereUsd + spentOn(comparison);
    for (const ended of comparison.runs) {
      // Each comparison has the rest of the limit as its own.
      const run = most !== null && isLeftAtLimit(ended) ? { ...ended, why: leftAtLimit(most) } : ended;
      const one = await evalRunOf(context, task, run);
      runs.push(one);
      const verdict = one.solved === null ? 'not judged' : one.solved ? 'solved' : 'not solved';
      const tests = one.named === null ? '' : `, ${namedText(one.named)}`;
      terminal.err(`${seenName(task.id)}, ${one.way}, ${run.repeat}: ${verdict}${tests}\n`);
      const why = run.why ?? (one.solved === null ? run.check?.summary : null) ?? '';
      if (why !== '') terminal.err(`  ${oneLine(seenWords(why), 200)}\n`);
    }
  }
  return runs;
}

/** What the runs cost in US dollars. Unknown costs count as 0. */
function spentOn(comparison: Comparison | undefined): number {
  const { runs = [], abandonedUsd = 0 } = comparison ?? {};
  return runs.reduce((sum, { figures }) => sum + (figures?.costUsd ?? 0), abandonedUsd);
}

/** Whether a comparison began with this input. It may have fixed more at its start. */
function isSame(begun: ComparisonInput, { maxUsd: _limit, ...asked }: ComparisonInput): boolean {
  const all = new Map<string, unknown>(Object.entries(begun));
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return given.every(([key, value]) => canonicalJson([all.get(key)]) === canonicalJson([value]));
}

/** Ctrl-C stops it. What has ended is kept. */
async function carryOut(
  { core, signal }: CommandContext,
  { id, ...limit }: { readonly id: string; readonly maxUsd?: number },
): Promise<Comparison> {
  const { comparisons } = await core();
  const cancel = (): void =>
    void comparisons.cancel({ id }).catch(orNoted('The evaluation was not stopped', undefined));
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const now = await comparisons.show({ id });
    if (now.runs.every(({ state }) => state === 'ended')) return now;
    await comparisons.start({ id, ...limit });
    for await (const one of await comparisons.watch({ id })) if (signal.aborted) void one;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return comparisons.show({ id });
}

async function evalRunOf(
  context: CommandContext,
  { id: task, kind }: EvalTask,
  { way, repeat, state, check, figures, sessionId, why }: ComparisonRun,
): Promise<EvalRun> {
  const seen = { isFirstTry: null as boolean | null, failedCalls: 0, recovered: 0 };
  const failed = new Map<string, number>();
  if (sessionId !== null) {
    for await (const event of recordedEvents(await context.core(), sessionId, context.signal)) {
      if (event.type === 'check-ended' && event.phase === 'after')
        seen.isFirstTry = (seen.isFirstTry ?? true) && event.passed;
      if (event.type !== 'tool-ended') continue;
      const open = failed.get(event.tool) ?? 0;
      if (event.status === 'ok') seen.recovered += open;
      else seen.failedCalls += 1;
      failed.set(event.tool, event.status === 'ok' ? 0 : open + 1);
    }
  }
  return {
    task,
    kind,
    way,
    repeat,
    state,
    solved: check?.passed ?? null,
    why,
    figures,
    named: check?.named ?? null,
    ...seen,
  };
}
