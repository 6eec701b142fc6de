import type { Calibration, CalibrationTask } from '@shared/calibration/calibration.ts';
import { AppError, valueOf } from '@shared/errors.ts';
import type { RunGit } from '../../git/process/run-apart.ts';
import { isTestFile } from '../../projects/facts/gather-project-facts.ts';
import type { RankedSymbol } from '../../symbols/process/symbol-protocol.ts';
import type { ProjectSymbols } from '../../symbols/project-symbols.ts';
import { wantsNetwork } from '../../lib/test-output/wants-network.ts';
import { tagLanguageOf } from '../../symbols/tags/tag-languages.ts';
import { commitCandidates, pastFolder, taskOfCommit } from './commit-tasks.ts';
import { faultIn, type FaultSource, type TaskOrReason } from './fault-tasks.ts';
import type { FaultOperator } from './plant-faults.ts';
import { inDrawnOrder } from './seeded-order.ts';
import { questionAbout } from './symbol-questions.ts';
import { commandForFiles, openTrialPlace, testsLeftOut, type TrialOptions, type TrialPlace } from './trial-place.ts';

export interface MakerOptions {
  readonly trial: TrialOptions;
  readonly runGit: RunGit;
  readonly symbols: (of: {
    readonly project: string;
    readonly files: TrialPlace['sandbox']['files'];
  }) => ProjectSymbols;
}

/** One calibration while its tasks are made. */
export interface MakingWork {
  readonly options: MakerOptions;
  readonly signal: AbortSignal;
  readonly current: () => Calibration;
  /** Changes it on disk first. */
  readonly put: (change: Partial<Calibration>) => Promise<void>;
  /** A copy of the project for the trials alone, which is removed, and the folder of all copies. */
  readonly folder: string;
  readonly workspaces: string;
  /** Where the history is read, if there is one. */
  readonly historyPath: string;
  /** Resolves when it may go on. */
  readonly ready: () => Promise<void>;
}

const mostDefinitions = 3_000;
/** A suite that takes longer is not the check of each task. */
const shortSuiteSeconds = 20;
/** Room for a machine that is busier than at the first run. */
const leastLimitSeconds = 15;
const slowerTimes = 4;
/** So many candidates are tried for each wanted task. */
const triesPerTask = 6;
const roundsPerFunction = 4;
/** The time of work for the making of tasks. A long suite gives few. */
const mostMakingSeconds = 45 * 60;

/**
 * Makes tasks of the project until there are as many as asked for. Each is kept as soon as it is verified, so that a
 * start after a crash goes on behind it. Throws on abort.
 */
export async function makeTasks(work: MakingWork): Promise<void> {
  const { options, signal, current, folder } = work;
  const { id, input } = current();
  const place = await openTrialPlace(options.trial, { id, projectPath: input.projectPath, folder }, signal);
  try {
    const suite = await lookAtSuite(work, place);
    const symbols = options.symbols({ project: folder, files: place.sandbox.files });
    const ranked = valueOf(await symbols.rank({ words: '', touched: [], limit: mostDefinitions }, signal));
    const definitions = inDrawnOrder(ranked, input.seed);
    const isTest = (path: string): boolean => isTestFile(path);
    const questions = suite === null ? input.tasks : Math.max(1, Math.floor(input.tasks / 4));
    const until = current().workedSeconds + mostMakingSeconds;
    await fill(work, { kind: 'question', most: questions, count: definitions.length, until }, async (at) => {
      const task = await questionAbout({ place, symbols, definitions, isTest }, at, signal);
      return task === null ? { why: 'a name is not certain enough for a question' } : { task };
    });
    if (suite === null) return;
    await makeCommitTasks(work, Math.floor((input.tasks - questions) / 2), until);
    await makeFaultTasks(work, { place, suite, definitions, until });
  } finally {
    await place.dispose();
  }
}

interface Suite extends Pick<FaultSource, 'test' | 'failing'> {
  readonly seconds: number;
}

/** Runs the tests twice as they are. Null: nothing can be checked with them, and the notes say why. */
async function lookAtSuite({ signal, current, put }: MakingWork, place: TrialPlace): Promise<Suite | null> {
  const { test } = place.facts;
  const known = current().project?.notes ?? [];
  const note = async (notes: readonly string[], suiteSeconds: number | null): Promise<void> =>
    put({
      project: { testCommand: test?.command ?? null, suiteSeconds, notes: [...new Set([...known, ...notes])] },
    });
  const only = 'So there are questions at most, and this says nothing about changes of code.';
  if (test === null) {
    await note([`No tests were found. ${only} ${howToSet}`], null);
    return null;
  }
  const first = await place.report(test, signal);
  const second = first.passed === true ? await place.run(test.command, signal) : first;
  if (first.passed === true && second.passed === true) {
    const seconds = Math.max(first.seconds, second.seconds);
    place.limitRuns(leastLimitSeconds + slowerTimes * seconds);
    const slow =
      seconds > shortSuiteSeconds
        ? [`The tests take ${Math.round(seconds)} s, so tasks are checked with those near the change.`]
        : [];
    await note([...slow, ...notesOfLeftOut(place.facts)], seconds);
    return { test, failing: new Set(), seconds };
  }
  const failed = first.report.failures.length;
  const network = wantsNetwork(first.output);
  const why =
    first.passed === null
      ? 'The tests did not come to an end in time.'
      : first.passed === true
        ? 'The tests passed once and failed once, as they are.'
        : network
          ? 'The tests need the network, which they do not have here.'
          : failed === 0
            ? `The tests fail as they are: ${test.command} says "${lastLineOf(first.output)}".`
            : `The tests fail as they are (${failed} of them).`;
  const canSelect = place.facts.testFiles.some((path) => commandForFiles(test, [path]) !== null);
  const partly = first.passed === false && first.report.parsed && failed > 0 && canSelect;
  await note([partly ? `${why} Tasks are checked with test files that pass.` : `${why} ${only}`], first.seconds);
  return partly ? { test, failing: new Set(first.report.failures.map(({ id }) => id)), seconds: Infinity } : null;
}

const howToSet = 'You can set a test command in the window, in the settings of the project.';

/** A project may have tests in several languages, and one command. */
function notesOfLeftOut({ test, testFiles }: TrialPlace['facts']): readonly string[] {
  if (test === null) return [];
  const [one, ...others] = testsLeftOut(test, testFiles);
  if (one === undefined) return [];
  const count = others.length === 0 ? '1 test file is' : `${others.length + 1} test files are`;
  return [`${count} not run by ${test.command}, such as ${one}, so this says little about that code. ${howToSet}`];
}

/** What a command said last. It is shown as text of others. */
function lastLineOf(output: string): string {
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? 'nothing' : line.slice(0, 200);
}

interface Filling {
  readonly kind: CalibrationTask['kind'];
  /** Of this kind, those that are there already included. */
  readonly most: number;
  /** How many candidates there are. */
  readonly count: number;
  /** In seconds of work. */
  readonly until: number;
}

async function fill(
  { signal, current, put, ready }: MakingWork,
  { kind, most, count, until }: Filling,
  make: (at: number) => Promise<TaskOrReason>,
): Promise<void> {
  const have = (): number => current().tasks.filter((task) => task.kind === kind).length;
  for (let at = current().tried[kind]; at < count && have() < most && at < most * triesPerTask * 4; at += 1) {
    signal.throwIfAborted();
    if (current().workedSeconds > until) return;
    await ready();
    const made = await make(at).catch((error: unknown): TaskOrReason => {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || isFatal(error)) throw error;
      return { why: error.message.slice(0, 120) };
    });
    const { tasks, tried, dropped } = current();
    const behind = { ...tried, [kind]: at + 1 };
    if ('task' in made) await put({ tried: behind, tasks: [...tasks, { id: `t${tasks.length + 1}`, ...made.task }] });
    else await put({ tried: behind, dropped: { ...dropped, [made.why]: (dropped[made.why] ?? 0) + 1 } });
  }
}

/** What the next candidate would meet, too. */
const isFatal = ({ code }: AppError): boolean => ['disk-full', 'missing-sandbox', 'internal'].includes(code);

async function makeCommitTasks(work: MakingWork, most: number, until: number): Promise<void> {
  const { options, signal, current, put, workspaces, historyPath } = work;
  const { id, input, project } = current();
  const note = async (notes: readonly string[]): Promise<void> => {
    if (project !== null) await put({ project: { ...project, notes: [...new Set([...project.notes, ...notes])] } });
  };
  const { commits, notes } = await commitCandidates(options.runGit, historyPath, signal);
  await note(notes);
  const source = {
    ...options,
    historyPath,
    projectPath: input.projectPath,
    folder: pastFolder(workspaces, id),
    id: `${id}-past`,
  };
  await fill(work, { kind: 'commit', most, count: commits.length, until }, async (at) => {
    const commit = commits[at];
    return commit === undefined ? { why: 'a commit is gone' } : taskOfCommit(source, commit, signal);
  });
}

async function makeFaultTasks(
  work: MakingWork,
  made: {
    readonly place: TrialPlace;
    readonly suite: Suite;
    readonly definitions: readonly RankedSymbol[];
    readonly until: number;
  },
): Promise<void> {
  const { place, suite, definitions, until } = made;
  const { input, tasks } = work.current();
  const isCode = ({ what, path }: RankedSymbol): boolean =>
    /^(?:function|method)$/u.test(what) && tagLanguageOf(path) !== null && !isTestFile(path);
  const once = oneFileAfterTheOther(definitions.filter(isCode));
  // A small project has few functions, and a function has more than one fault.
  const functions = Array.from({ length: roundsPerFunction }, () => once).flat();
  const used = new Map<FaultOperator, number>();
  const source: FaultSource = {
    place,
    test: suite.test,
    failing: suite.failing,
    seed: input.seed,
    checkFor: (path) => checkNear(path, suite, place),
  };
  const most = input.tasks - tasks.filter(({ kind }) => kind !== 'fault').length;
  await fill(work, { kind: 'fault', most, count: functions.length, until }, async (at) => {
    const symbol = functions[at];
    if (symbol === undefined) return { why: 'a function is gone' };
    const known = work.current().tasks.flatMap(({ files }) => files);
    const result = await faultIn(source, { symbol, used, at, known }, work.signal);
    const operator = 'task' in result ? (result.task.title.split(' in ', 1)[0] ?? '') : '';
    for (const known of operators) if (known === operator) used.set(known, (used.get(known) ?? 0) + 1);
    return result;
  });
}

const operators: readonly FaultOperator[] = [
  'comparison',
  'arithmetic',
  'logic',
  'number',
  'truth value',
  'arguments',
  'guard',
  'negation',
];

/** So that one large file does not have all faults. */
function oneFileAfterTheOther(symbols: readonly RankedSymbol[]): readonly RankedSymbol[] {
  const count = new Map<string, number>();
  return symbols
    .map((symbol) => {
      const round = count.get(symbol.path) ?? 0;
      count.set(symbol.path, round + 1);
      return { symbol, round };
    })
    .sort((left, right) => left.round - right.round)
    .map(({ symbol }) => symbol);
}

/** The whole suite if it is short and green, else the test files whose name says that they are about this file. */
function checkNear(path: string, { test, seconds }: Suite, { facts }: TrialPlace): string {
  if (seconds <= shortSuiteSeconds) return test.command;
  const stem = (path.split('/').at(-1) ?? '').replace(/\.[^.]+$/u, '').replace(/^_+/u, '');
  const folder = path.split('/').at(-2) ?? '';
  const left = testsLeftOut(test, facts.testFiles);
  const names = [stem, folder].filter((name) => name.length > 2 && name !== 'src' && name !== 'lib');
  for (const name of names) {
    const near = facts.testFiles.filter(
      (file) => !left.includes(file) && (file.split('/').at(-1) ?? '').includes(name),
    );
    const command = commandForFiles(test, near.slice(0, 4));
    if (command !== null) return command;
  }
  return test.command;
}
