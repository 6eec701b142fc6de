import { resolve } from 'node:path';
import type { ComparisonInput, ComparisonTask } from '@shared/comparisons/comparison.ts';
import { comparisonInputSchema } from '@shared/comparisons/comparison.ts';
import { readWay, type Way, wayForm } from '@shared/comparisons/way.ts';
import { nameOfTask, wayName } from '@shared/comparisons/way-name.ts';
import { comparedTasks } from '@shared/comparisons/eval-tasks.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { issueText } from '../../../lib/issue-text.ts';
import { folderOfWord } from '../commands/projects/named-project.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';
import { readTask } from './read-task.ts';
import { readFile, stat } from '../../../lib/files/drive-calls.ts';

export interface CompareInputArguments {
  readonly project?: string;
  readonly way?: readonly string[];
  readonly policies?: string;
  readonly tasks?: string;
  readonly sessions?: string;
  readonly check?: string;
  readonly repeat?: string;
  readonly local?: string;
  readonly cloud?: string;
  readonly strategy?: string;
  readonly seed?: string;
  readonly judge?: string;
  readonly rubric?: string;
  readonly approve?: string;
  /** Not a flag: refuses sessions whose first files cannot be had. */
  readonly onlyFirstFiles?: boolean;
}

/** Options that cannot change after the start, because runs with different values could not be compared. */
export const comparedBy = [
  'project',
  'way',
  'policies',
  'tasks',
  'sessions',
  'check',
  'repeat',
  'local',
  'cloud',
  'strategy',
  'seed',
  'judge',
  'rubric',
  'approve',
] as const satisfies readonly (keyof CompareInputArguments)[];

/** Checks the options before anything starts. The core checks them again. */
export async function readCompareInput(
  context: Pick<CommandContext, 'core' | 'terminal' | 'signal'>,
  taskText: string | undefined,
  { args, maxUsd }: { readonly args: CompareInputArguments; readonly maxUsd: number | undefined },
): Promise<ComparisonInput> {
  const named = [taskText, args.tasks, args.sessions].filter((one) => one !== undefined).length;
  if (named > 1) throw usageError('Give one of these: a task, --tasks FOLDER or --sessions A,B.');
  const found = await tasksOf(context, taskText, args);
  const project = args.project === undefined ? found.projectPath : await folderOfWord(context.core, args.project);
  if (project === null) throw usageError('Name the project: --project DIR. Each run works on a copy of it.');
  if (args.rubric !== undefined && args.judge === undefined) throw usageError('--rubric needs --judge MODEL.');
  const { check, local, cloud, approve } = args;
  const parsed = comparisonInputSchema.safeParse({
    projectPath: project,
    tasks: found.tasks,
    ways: waysOf(context, args),
    check,
    local,
    cloud,
    maxUsd,
    approve,
    ...(args.judge === undefined ? {} : { judge: { model: args.judge, rubric: await rubricOf(args.rubric) } }),
    ...(args.repeat === undefined ? {} : { repeat: numberOf('repeat', args.repeat) }),
    ...(args.seed === undefined ? {} : { seed: numberOf('seed', args.seed) }),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const option = String(issue?.path[0] ?? '');
  const typed = option === 'ways' ? 'way' : option === 'projectPath' ? 'project' : option;
  throw usageError(`The value of --${typed} is wrong: ${issueText(issue)}.`, 'See: dewpoint compare --help');
}

/** `--policies a,b` is short for `--way a --way b`. Says which way is there twice. */
function waysOf({ terminal }: Pick<CommandContext, 'terminal'>, args: CompareInputArguments): readonly Way[] {
  if (args.way !== undefined && args.policies !== undefined) throw usageError('Use --way or --policies, not both.');
  const typed = args.way ?? (args.policies ?? 'local,hybrid,cloud').split(',').filter((one) => one.trim() !== '');
  const ways = typed.map((text) => {
    const strategy = args.strategy === undefined || args.strategy === 'auto' ? '' : `,strategy=${args.strategy}`;
    const way = readWay(/,\s*strategy\s*=/u.test(text) ? text : `${text.trim()}${strategy}`);
    if (typeof way === 'string') throw usageError(`A way is ${wayForm}: ${way}.`);
    return way;
  });
  const names = ways.map(wayName);
  for (const name of new Set(names.filter((one, at) => names.indexOf(one) < at))) {
    terminal.err(`${name} is named twice. It runs once.\n`);
  }
  return ways;
}

interface FoundTasks {
  readonly tasks: readonly ComparisonTask[];
  /** Of the sessions that they are taken from. */
  readonly projectPath: string | null;
}

async function tasksOf(
  context: Pick<CommandContext, 'core' | 'terminal' | 'signal'>,
  taskText: string | undefined,
  args: CompareInputArguments,
): Promise<FoundTasks> {
  if (args.tasks !== undefined) return tasksInFolder(context, args.tasks);
  if (args.sessions !== undefined) return tasksOfSessions(context, args.sessions, args);
  if (taskText === undefined) {
    throw usageError('Describe a task, name some with --tasks or --sessions, or resume a comparison with --resume.');
  }
  const text = await readTask(taskText);
  return { tasks: [{ name: nameOfTask(text), text }], projectPath: null };
}

/**
 * The tasks of a folder or a file. Those that bring files start from them. Without `--project`, the rules and packages are
 * those of the project that they were made of, if it is one.
 */
async function tasksInFolder(
  { core, terminal, signal }: Pick<CommandContext, 'core' | 'terminal' | 'signal'>,
  folder: string,
): Promise<FoundTasks> {
  const found = await (await core()).comparisons.tasks({ path: resolve(folder), repos: null }, { signal });
  for (const { id, why } of found.skipped) terminal.err(`not run: ${seenName(id)}: ${seenWords(why)}\n`);
  return comparedTasks(found);
}

/** A project that is named is taken as it is, and not as it was before the session. */
async function tasksOfSessions(
  { core, signal }: Pick<CommandContext, 'core' | 'signal'>,
  ids: string,
  { project, onlyFirstFiles = false }: Pick<CompareInputArguments, 'project' | 'onlyFirstFiles'>,
): Promise<FoundTasks> {
  const client = await core();
  const sessionIds: string[] = [];
  for (const id of ids.split(',').map((one) => one.trim())) {
    sessionIds.push((await client.sessions.find({ id })).sessionId);
  }
  const found = await client.comparisons.sessionTasks({ sessionIds, orNow: !onlyFirstFiles }, { signal });
  return project === undefined ? found : { ...found, tasks: found.tasks.map(({ from: _from, ...task }) => task) };
}

const usualRubric =
  'The better answer does what the task asks, is correct, leaves nothing out, and adds nothing that was not asked for.';

/** The text itself, or that of a file. */
async function rubricOf(given: string | undefined): Promise<string> {
  if (given === undefined) return usualRubric;
  const found = /\s/u.test(given.trim()) ? null : await stat(given).catch(() => null);
  return found?.isFile() === true ? readFile(given, 'utf8') : given;
}

/** The number that a flag takes. */
export function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw usageError(`--${name} takes a number from 0, not "${text}".`);
  }
  return value;
}
