import {
  calibrationInputSchema,
  calibrationTimeSchema,
  type CalibrationInput,
  type CalibrationTime,
  type CalibrationView,
} from '@shared/calibration/calibration.ts';
import type { Currency } from '@shared/money/currency.ts';
import { calibrationHtml } from './calibration-html.ts';
import { monthReport, solvedRows, type MonthReport } from '@shared/calibration/calibration-report.ts';
import {
  calibrationMarkdown,
  monthLines,
  solvedCells,
  solvedHead,
  unknownNotes,
} from '@shared/calibration/calibration-text.ts';
import { escapedJson, seenName, seenWords } from '@shared/text/seen-text.ts';
import { jsonText } from '../../../../lib/files/json-file.ts';
import { issueText } from '../../../../lib/issue-text.ts';
import { orNoted } from '../../../../lib/log.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { requireModels } from '../../../text/require-models.ts';
import { dateAndTime, jsonLine, oneLine, pluralize, table } from '../../../text/terminal.ts';
import { shownCurrency } from '../../../text/shown-currency.ts';
import { checkOutputFile, writeOutputFile } from '../../terminal/output-file.ts';
import { numberOf } from '../../turn/compare-input.ts';
import { folderOfWord } from './named-project.ts';

export interface CalibrateArguments {
  readonly local?: string;
  readonly cloud?: string;
  readonly maxUsd?: string;
  readonly tasks?: string;
  readonly minutes?: string;
  readonly taskMinutes?: string;
  readonly whenIdle?: boolean;
  readonly at?: string;
  readonly onlyTasks?: boolean;
  readonly seed?: string;
  readonly resume?: string;
  readonly list?: boolean;
  readonly report?: readonly string[];
  readonly json?: boolean;
}

/** Finds out what models solve in a repository, by tasks out of the repository itself, and shows a report. */
export const calibrate: Command<[string | undefined, CalibrateArguments]> = async (context, folder, args) => {
  const { terminal } = context;
  if (args.list === true) return listCalibrations(context, args);
  const files = args.report ?? [];
  for (const file of files) await checkOutputFile(file);
  const limits = { ...limitsOf(args), ...timeOf(args) };
  const core = await context.core();
  const id = await calibrationFor(context, folder, args);
  terminal.err(`${terminal.colors.dim(`calibration ${id}`)}\n`);
  const view = await carryOut(context, id, limits);
  const month = monthReport(await core.monthCosts({}), solvedRows(view));
  const currency = await shownCurrency(core);
  if (args.json === true) terminal.out(jsonLine({ ...view, rows: solvedRows(view), month }));
  else showReport(context, view, { month, currency });
  // The files come after what is shown. If the disk is full, only they are lost.
  for (const file of files) await writeOutputFile(file, reportText(file, view, { month, currency }));
  if (view.state !== 'ended')
    terminal.err(`${view.why ?? 'It is not done.'} What was done is kept. Resume: dewpoint calibrate --resume ${id}\n`);
  return context.signal.aborted
    ? 130
    : view.state === 'ended'
      ? view.tasks.length > 0
        ? 0
        : 1
      : view.runs.some(({ state }) => state === 'skipped')
        ? 3
        : 1;
};

async function calibrationFor(
  context: CommandContext,
  folder: string | undefined,
  args: CalibrateArguments,
): Promise<string> {
  const core = await context.core();
  if (args.resume !== undefined) {
    if (folder !== undefined) throw usageError('--resume keeps the folder of the calibration. Leave out the folder.');
    const left = begunWith.filter((name) => args[name] !== undefined).map((name) => flagNames[name]);
    if (left.length > 0)
      throw usageError(`--resume keeps the options of the calibration. Leave out ${left.join(', ')}.`);
    if (args.resume !== 'last') return args.resume;
    const [last] = await core.calibrations.list();
    if (last === undefined) throw usageError('No calibrations yet.');
    return last.id;
  }
  if (folder === undefined) throw usageError('Name the folder of the project: dewpoint calibrate DIR');
  const input = inputOf(await folderOfWord(context.core, folder), args);
  const [local] = input.locals;
  const named = {
    ...(local === undefined ? {} : { local }),
    ...(input.cloud === undefined ? {} : { cloud: input.cloud }),
  };
  if (!input.onlyTasks)
    await requireModels(context, { ...named, policies: input.cloud === undefined ? ['local'] : ['local', 'cloud'] });
  return (await core.calibrations.create(input, { signal: context.signal })).id;
}

const flagNames = {
  local: '--local',
  cloud: '--cloud',
  tasks: '--tasks',
  taskMinutes: '--task-minutes',
  seed: '--seed',
  onlyTasks: '--only-tasks',
} as const;
const begunWith = ['local', 'cloud', 'tasks', 'taskMinutes', 'seed', 'onlyTasks'] as const;

function inputOf(folder: string, args: CalibrateArguments): CalibrationInput {
  const { local, cloud, tasks, taskMinutes, seed, onlyTasks } = args;
  const parsed = calibrationInputSchema.safeParse({
    projectPath: folder,
    ...(local === undefined ? {} : { locals: local.split(',').map((name) => name.trim()) }),
    cloud,
    onlyTasks,
    ...limitsOf(args),
    ...(tasks === undefined ? {} : { tasks: numberOf('tasks', tasks) }),
    ...(taskMinutes === undefined ? {} : { taskMinutes: numberOf('task-minutes', taskMinutes) }),
    ...(seed === undefined ? {} : { seed: numberOf('seed', seed) }),
  });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw usageError(
      `The value of ${String(issue?.path[0] ?? '')} is wrong: ${issueText(issue)}.`,
      'See: dewpoint calibrate --help',
    );
  }
  if (cloud !== undefined && parsed.data.maxUsd === undefined)
    throw usageError('--cloud costs money, so it needs a limit: --max-usd X');
  return parsed.data;
}

function limitsOf({ minutes, maxUsd }: CalibrateArguments): Pick<CalibrationInput, 'maxMinutes' | 'maxUsd'> {
  return {
    ...(minutes === undefined ? {} : { maxMinutes: numberOf('minutes', minutes) }),
    ...(maxUsd === undefined ? {} : { maxUsd: numberOf('max-usd', maxUsd) }),
  };
}

function timeOf({ whenIdle, at }: CalibrateArguments): { readonly time?: CalibrationTime } {
  if (whenIdle !== true && at === undefined) return {};
  const parsed = calibrationTimeSchema.safeParse({ idle: whenIdle === true, ...(at === undefined ? {} : { at }) });
  if (!parsed.success) throw usageError(`--at takes a time of day such as 23:00, not "${at ?? ''}".`);
  return { time: parsed.data };
}

/** Works until nothing is left, and says what happens. Ctrl-C stops it; what was done is kept. */
async function carryOut(
  context: CommandContext,
  id: string,
  limits: Pick<CalibrationInput, 'maxMinutes' | 'maxUsd'> & { readonly time?: CalibrationTime },
): Promise<CalibrationView> {
  const core = await context.core();
  const cancel = (): void =>
    void core.calibrations.cancel({ id }).catch(orNoted('The calibration was not cancelled', undefined));
  context.signal.addEventListener('abort', cancel, { once: true });
  try {
    await core.calibrations.start({ id, ...limits });
    if (context.signal.aborted) cancel();
    let shown: CalibrationView | null = null;
    for await (const view of await core.calibrations.watch({ id })) {
      announce(context, view, shown);
      shown = view;
    }
  } finally {
    context.signal.removeEventListener('abort', cancel);
  }
  return core.calibrations.show({ id });
}

function announce({ terminal }: CommandContext, view: CalibrationView, before: CalibrationView | null): void {
  if (view.state === 'waiting' && before?.why !== view.why) terminal.err(`${view.why ?? ''}\n`);
  // What the tests do not allow is said before models work for an hour.
  const known = before?.project?.notes ?? [];
  for (const note of view.project?.notes ?? []) if (!known.includes(note)) terminal.err(`${oneLine(note, 400)}\n`);
  for (const task of view.tasks.slice(before?.tasks.length ?? 0))
    terminal.err(`${task.id}: ${task.kind}, ${oneLine(task.title, 100)}\n`);
  for (const [at, run] of view.runs.entries()) {
    const old = before?.runs[at];
    if (before === null || old?.state === run.state || run.state === 'waiting') continue;
    const what =
      run.state === 'running'
        ? 'works'
        : run.solved === true
          ? `solved in ${Math.round(run.seconds ?? 0)} s`
          : `${run.solved === null ? 'not judged' : 'not solved'}: ${run.why ?? ''}`;
    terminal.err(`${run.taskId} ${run.model}: ${oneLine(what, 160)}\n`);
  }
}

interface Money {
  readonly month: MonthReport;
  readonly currency: Currency | null;
}

function showReport({ terminal }: CommandContext, view: CalibrationView, { month, currency }: Money): void {
  const rows = solvedRows(view);
  if (rows.length > 0)
    for (const line of table([solvedHead, ...rows.map((row) => solvedCells(row, currency))])) terminal.out(`${line}\n`);
  else terminal.out(`${pluralize(view.tasks.length, 'task')} made. No model has worked yet.\n`);
  if (rows.length > 0) {
    terminal.out('\nA month of your work:\n');
    for (const line of monthLines(month, currency)) terminal.out(`  ${line}\n`);
  }
  terminal.out('\n');
  for (const note of unknownNotes(view)) terminal.out(`${oneLine(note, 400)}\n`);
  if (view.kept === null) return;
  for (const note of view.kept.notes) terminal.out(`${oneLine(seenWords(note), 400)}\n`);
  const folder = seenName(view.kept.folder);
  if (view.kept.tasks.length > 0) {
    const count = pluralize(view.kept.tasks.length, 'task');
    terminal.out(`\n${count} kept as capsules in ${folder}\nTry other models on them: dewpoint eval ${folder}\n`);
  }
}

/** As JSON or a page if the file name ends that way, otherwise as Markdown. */
function reportText(path: string, view: CalibrationView, { month, currency }: Money): string {
  if (path.endsWith('.json')) {
    const rate = currency === null ? {} : { currency };
    return escapedJson(jsonText({ ...view, rows: solvedRows(view), month, ...rate }));
  }
  const write = /\.html?$/u.test(path) ? calibrationHtml : calibrationMarkdown;
  return write(view, month, currency);
}

async function listCalibrations({ core, terminal }: CommandContext, args: CalibrateArguments): Promise<number> {
  const all = await (await core()).calibrations.list();
  if (args.json === true) terminal.out(jsonLine(all));
  else if (all.length === 0) terminal.err('No calibrations yet.\n');
  else
    for (const { id, createdAt, input, state, tasks, runs } of all) {
      const ended = runs.filter((run) => run.state === 'ended').length;
      const done = `${tasks.length} tasks, ${ended} of ${runs.length} runs`;
      terminal.out(`${id}  ${dateAndTime(createdAt)}  ${state}  ${done}  ${oneLine(input.projectPath, 60)}\n`);
    }
  return 0;
}
