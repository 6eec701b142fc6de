import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Calibration,
  CalibrationInput,
  CalibrationRun,
  CalibrationTask,
  CalibrationTime,
} from '@shared/calibration/calibration.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { createDeadlinePause, timerWithPauses } from '../../lib/async/deadline-pause.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import type { CalibrationStore } from './calibration-store.ts';
import { historyFolder, pastFolder } from './commit-tasks.ts';
import { type KeepTask, keepTasks } from './keep-tasks.ts';
import { makeTasks, type MakerOptions } from './make-tasks.ts';
import { copyInto, removeFolder } from './trial-place.ts';
import { isQuiet, nextTime, waitForQuiet, waitForTime, type QuietSource } from './wait-for-quiet.ts';
import { noAnswer, workOnTask, type TaskWorkOptions } from './work-on-task.ts';

/** Finds out what models are worth in a repository, by tasks out of the repository itself. */
export interface CalibrationRunner {
  /** Copies the project as it is now. `start` then works from that copy. */
  readonly create: (input: CalibrationInput, signal: AbortSignal) => Promise<string>;
  /** Makes the tasks that are missing and carries out the runs that have not ended. Does nothing if it works already. */
  readonly start: (id: string, limits: StartLimits) => Promise<void>;
  /** Calls `listener` now and after each change, and `end` when no more will come. Returns how to stop watching. */
  readonly watch: (id: string, listener: Watcher['listener'], end: Watcher['end']) => Promise<() => void>;
  /** Resolves when nothing of it runs. What was made and done is kept. */
  readonly cancel: (id: string) => Promise<void>;
  readonly show: (id: string) => Promise<Calibration>;
  readonly list: () => Promise<readonly Calibration[]>;
  readonly running: () => number;
  /** Resolves when nothing works. */
  readonly idle: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

export interface StartLimits extends Pick<CalibrationInput, 'maxMinutes' | 'maxUsd'> {
  readonly time?: CalibrationTime | undefined;
}

export interface CalibrationRunnerOptions extends MakerOptions, TaskWorkOptions {
  readonly store: CalibrationStore;
  readonly newId: () => string;
  readonly settings: () => Settings;
  readonly now: () => number;
  readonly quiet: QuietSource;
  /** Writes a task as a capsule. */
  readonly keepTask: KeepTask;
  /** The folder of a calibration in which its tasks are kept. */
  readonly folderOfTasks: (id: string) => string;
}

interface Watcher {
  readonly listener: (calibration: Calibration) => void;
  readonly end: (error?: unknown) => void;
}

interface Job {
  calibration: Calibration;
  readonly time: CalibrationTime | undefined;
  readonly stop: AbortController;
  readonly watchers: Set<Watcher>;
  ended: Promise<void>;
}

/** Thrown by the clock of a calibration, and by nothing else. */
class TimeIsUp extends Error {}

export function createCalibrationRunner(options: CalibrationRunnerOptions): CalibrationRunner {
  const jobs = new Map<string, Job>();
  // Why they ended, where that could not be written: the disk is full.
  const unwritten = new Map<string, Pick<Calibration, 'state' | 'why'>>();
  const show = async (id: string): Promise<Calibration> =>
    jobs.get(id)?.calibration ?? { ...atRest(await options.store.load(id)), ...unwritten.get(id) };
  const stop = async (id: string): Promise<void> => {
    const job = jobs.get(id);
    job?.stop.abort();
    await job?.ended;
  };
  return {
    create: (input, signal) => create(options, input, signal),
    start: async (id, { maxMinutes, maxUsd, time }) => {
      const found = await show(id);
      if (jobs.has(id) || found.state === 'ended') return;
      const limits = {
        ...(maxMinutes === undefined ? {} : { maxMinutes }),
        ...(maxUsd === undefined ? {} : { maxUsd }),
      };
      const calibration = { ...found, input: { ...found.input, ...limits } };
      const stop = new AbortController();
      const job: Job = { calibration, time, stop, watchers: new Set(), ended: Promise.resolve() };
      unwritten.delete(id);
      jobs.set(id, job);
      job.ended = carryOut(options, job, (end) => void unwritten.set(id, end)).finally(() => {
        jobs.delete(id);
        for (const { end } of job.watchers) end();
      });
    },
    watch: async (id, listener, end) => {
      const watcher = { listener, end };
      listener(await show(id));
      const job = jobs.get(id);
      if (job === undefined) end();
      job?.watchers.add(watcher);
      return () => void job?.watchers.delete(watcher);
    },
    cancel: stop,
    show,
    list: async () => (await options.store.list()).map((one) => jobs.get(one.id)?.calibration ?? atRest(one)),
    running: () => jobs.size,
    idle: async () => {
      await Promise.all([...jobs.values()].map(({ ended }) => ended));
    },
    dispose: async () => {
      await Promise.all([...jobs.keys()].map(stop));
    },
  };
}

/** Nothing works on it in this core: a crash may have left the word. */
function atRest(calibration: Calibration): Calibration {
  const { state, why } = calibration;
  if (state === 'stopped' || state === 'ended') return calibration;
  return { ...calibration, state: 'stopped', why: (state === 'waiting' ? null : why) ?? 'It was interrupted.' };
}

const workspacesOf = ({ home }: Pick<CalibrationRunnerOptions, 'home'>): string => join(home, 'workspaces');
const trialFolder = (workspaces: string, id: string): string => join(workspaces, `${id}-trial`);
const baseOf = (options: CalibrationRunnerOptions, id: string): string => join(workspacesOf(options), `${id}-project`);

async function create(
  options: CalibrationRunnerOptions,
  asked: CalibrationInput,
  signal: AbortSignal,
): Promise<string> {
  const usual = settingsForProject(options.settings(), asked.projectPath);
  const locals = asked.locals.length === 0 && usual.local !== null ? [usual.local] : asked.locals;
  if (locals.length === 0 && !asked.onlyTasks)
    throw new AppError('missing-model', 'No local model is set up, so there is nothing to calibrate.', {
      hint: 'Get one: dewpoint models pull engine/auto',
    });
  if (asked.cloud !== undefined && asked.maxUsd === undefined)
    throw new AppError('bad-input', 'A cloud model costs money, so it needs a limit.', {
      hint: 'Set one: --max-usd 1',
    });
  const id = options.newId();
  const folder = baseOf(options, id);
  await copyInto(options, { from: asked.projectPath, to: folder }, signal);
  // A model that could read the history would find the right text of a planted fault in it.
  const git = join(folder, '.git');
  const found = await stat(git).catch(() => null);
  const history = historyFolder(workspacesOf(options), id);
  if (found?.isDirectory() === true) await moveHistory(git, history);
  else await rm(git, { force: true });
  await options.store.save({
    id,
    createdAt: options.now(),
    input: { ...asked, locals: [...locals] },
    state: 'stopped',
    why: null,
    project: null,
    tasks: [],
    tried: { commit: 0, fault: 0, question: 0 },
    dropped: {},
    runs: [],
    workedSeconds: 0,
    kept: null,
  });
  return id;
}

async function moveHistory(git: string, history: string): Promise<void> {
  await mkdir(history, { recursive: true, mode: 0o700 });
  await rename(git, join(history, '.git'));
}

async function carryOut(
  options: CalibrationRunnerOptions,
  job: Job,
  onUnwritten: (end: Pick<Calibration, 'state' | 'why'>) => void,
): Promise<void> {
  const { maxMinutes } = job.calibration.input;
  const begun = performance.now();
  const before = job.calibration.workedSeconds;
  const late = childAbort(job.stop.signal);
  // What it waits for an idle machine is no work.
  const pause = createDeadlinePause();
  const leftMs = Math.max(0, (maxMinutes ?? 0) * 60_000 - before * 1_000);
  const stopTimer =
    maxMinutes === undefined
      ? () => undefined
      : timerWithPauses(leftMs, pause.heldMs, () => late.abort(new TimeIsUp()));
  const put = async (change: Partial<Calibration>): Promise<void> => {
    const workedSeconds = Math.round(before + (performance.now() - begun - pause.heldMs()) / 1_000);
    job.calibration = { ...job.calibration, ...change, workedSeconds };
    await options.store.save(job.calibration);
    for (const { listener } of job.watchers) listener(job.calibration);
  };
  try {
    const working = { job, put, signal: late.signal };
    await pause.during(() => untilTime(options, working));
    await workThrough(options, { ...working, ready: () => pause.during(() => untilQuiet(options, working)) });
  } catch (error) {
    const why =
      late.signal.reason instanceof TimeIsUp
        ? `The limit of ${maxMinutes ?? 0} minutes is reached.`
        : job.stop.signal.aborted
          ? 'It was stopped.'
          : messageOf(error);
    // What cannot be written now is still on disk as it was before.
    await put({ state: 'stopped', why }).catch(() => onUnwritten({ state: 'stopped', why }));
  } finally {
    stopTimer();
    late.release();
    const { id, state } = job.calibration;
    const workspaces = workspacesOf(options);
    const passing = [join(workspaces, `${id}-task`), trialFolder(workspaces, id), pastFolder(workspaces, id)];
    const lasting = state === 'ended' ? [baseOf(options, id), historyFolder(workspaces, id)] : [];
    for (const folder of [...passing, ...lasting]) await removeFolder(folder);
  }
}

interface Waiting {
  readonly job: Job;
  readonly put: (change: Partial<Calibration>) => Promise<void>;
  readonly signal: AbortSignal;
}

interface Working extends Waiting {
  /** Resolves when it may go on: at once, or when the machine is idle. */
  readonly ready: () => Promise<void>;
}

async function untilTime({ quiet }: CalibrationRunnerOptions, { job, put, signal }: Waiting): Promise<void> {
  const at = job.time?.at;
  if (at === undefined) return;
  await put({ state: 'waiting', why: `It waits until ${at}.` });
  await waitForTime(quiet, nextTime(at, quiet.now()), signal);
}

async function untilQuiet({ quiet }: CalibrationRunnerOptions, { job, put, signal }: Waiting): Promise<void> {
  if (job.time?.idle !== true || (await isQuiet(quiet, signal))) return;
  const { state, why } = job.calibration;
  await put({ state: 'waiting', why: 'It waits until nothing else is done on this machine.' });
  await waitForQuiet(quiet, signal);
  await put({ state, why });
}

async function workThrough(options: CalibrationRunnerOptions, { job, put, signal, ready }: Working): Promise<void> {
  const { id } = job.calibration;
  const folder = baseOf(options, id);
  const history = historyFolder(workspacesOf(options), id);
  const hasHistory = await stat(history).then(
    () => true,
    () => false,
  );
  // A worktree, and a folder of a repository, have their history elsewhere. It is only read.
  const historyPath = hasHistory ? history : job.calibration.input.projectPath;
  if (job.calibration.runs.length === 0) {
    await put({ state: 'making', why: null });
    const workspaces = workspacesOf(options);
    const trial = trialFolder(workspaces, id);
    // A crash in the middle of a trial leaves a fault, and tests leave files. The copy that tasks begin with has neither.
    await copyInto(options, { from: folder, to: trial }, signal);
    const making = { options, signal, current: () => job.calibration, put, historyPath, workspaces, ready };
    await makeTasks({ ...making, folder: trial });
    await keepTasks({ ...making, folder, target: options.folderOfTasks(id) });
    await put({ runs: [...plannedRuns(job.calibration)] });
  }
  await put({ state: 'working', why: null });
  const silent = new Set<string>();
  for (const [index, run] of job.calibration.runs.entries()) {
    signal.throwIfAborted();
    const task = job.calibration.tasks.find(({ id: known }) => known === run.taskId);
    if (run.state === 'ended' || task === undefined) continue;
    const putRun = (change: Partial<CalibrationRun>): Promise<void> => {
      if (change.state === 'ended' && change.why?.startsWith(noAnswer) === true) silent.add(run.model);
      return put({ runs: job.calibration.runs.map((one, at) => (at === index ? { ...one, ...change } : one)) });
    };
    // Each of its tasks would wait as long.
    if (silent.has(run.model)) {
      await putRun({ state: 'waiting', why: `${noAnswer} before, so this was not tried` });
      continue;
    }
    const left = run.where === 'local' ? null : moneyLeft(job.calibration);
    if (typeof left === 'string') {
      await putRun({ state: 'skipped', why: left });
      continue;
    }
    await ready();
    const work = { options, calibration: job.calibration, task, run, folder, historyPath, leftUsd: left };
    await workOnTask({ ...work, put: putRun }, signal).catch(async (error: unknown) => {
      // The id of the comparison stays, so that the next start knows which run was cut off.
      await putRun({ state: 'waiting', why: signal.aborted ? 'stopped' : messageOf(error) });
      // A container engine that was too slow once is no reason to leave all other runs.
      if (signal.aborted || !(error instanceof AppError) || error.code !== 'timeout') throw error;
    });
  }
  const left = job.calibration.runs.filter(({ state }) => state !== 'ended');
  if (left.length === 0) return put({ state: 'ended', why: null });
  const why = (left[0]?.why ?? '').replace(/\.$/u, '');
  await put({
    state: 'stopped',
    why: `${left.length} ${left.length === 1 ? 'run was' : 'runs were'} left out: ${why}.`,
  });
}

/** What may still be spent, or why no more may. */
function moneyLeft({ input, runs }: Calibration): number | string {
  const cloud = runs.filter(({ where, state }) => where === 'cloud' && state === 'ended');
  if (cloud.some(({ costUsd }) => costUsd === null))
    return 'the price of an earlier run is unknown, so the limit cannot be kept';
  const left = (input.maxUsd ?? 0) - cloud.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  return left > 0 ? left : `the spending limit of ${input.maxUsd ?? 0} dollars is reached`;
}

const mostCloudTasks = 8;

/** All tasks on each local model, then a chosen few in the cloud: the first of each kind and size. */
function plannedRuns({ input, tasks }: Calibration): readonly CalibrationRun[] {
  if (input.onlyTasks) return [];
  const fresh = {
    state: 'waiting',
    comparisonId: null,
    sessionId: null,
    solved: null,
    why: null,
    seconds: null,
    costUsd: null,
    energyWh: null,
  } as const;
  const here = input.locals.flatMap((model) =>
    tasks.map(({ id: taskId }) => ({ taskId, model, where: 'local', ...fresh }) as const),
  );
  const { cloud } = input;
  if (cloud === undefined) return here;
  return [
    ...here,
    ...chosenFew(tasks).map(({ id: taskId }) => ({ taskId, model: cloud, where: 'cloud', ...fresh }) as const),
  ];
}

function chosenFew(tasks: readonly CalibrationTask[]): readonly CalibrationTask[] {
  const groups = Map.groupBy(tasks, ({ kind, size }) => `${kind} ${size}`);
  const rounds = Math.max(0, ...[...groups.values()].map((group) => group.length));
  const inTurns = Array.from({ length: rounds }, (_, round) =>
    [...groups.values()].flatMap((group) => group.slice(round, round + 1)),
  ).flat();
  return inTurns.slice(0, mostCloudTasks);
}
