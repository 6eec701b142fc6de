import type { Comparison, ComparisonInput, ComparisonRun, PairVerdict } from '@shared/comparisons/comparison.ts';
import { figuresOf, leftAtLimit, plannedRuns, wayOf } from '@shared/comparisons/comparison.ts';
import { eachWay, mayLeave, wayName } from '@shared/comparisons/way-name.ts';
import { isSolvedBy, neverRan } from '@shared/comparisons/pair-verdicts.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { orNoted } from '../../lib/log.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import { buildRunResult } from '../../agent/turn/build-run-result.ts';
import { type CutOff, cutOffOf, moneyLeft } from './options-of-run.ts';
import { costs, optionsOf, refuseMissingThinking, snapshotOf, taskOf } from './options-of-run.ts';
import type { RoutingSnapshotTaker } from './routing-snapshot.ts';
import type { HomeMoney } from '../../money/home-money.ts';
import type { OpenSessions } from '../open/open-sessions.ts';
import type { prepareWorkspace } from '../../sandbox/workspace/prepare-workspace.ts';
import type { RouteRecord } from '../../routing/record/route-record.ts';
import type { ComparisonStore } from './comparison-store.ts';
import { type AskJudge, judgeRuns, withVerdict } from './judge-runs.ts';
import { dropTasksOf } from './tasks/drop-tasks.ts';
import { copyBases, removeBases, startOfRun } from './tasks/first-files.ts';
import { whyNotHere, type NamedTestsOptions } from './tasks/named-tests.ts';
import { judgeRun } from './tasks/judge-run.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import type { SessionStore } from '../store/session-store.ts';

/** Lets several ways do the same tasks, one run after the other, each in its own copy of one state of the project. */
export interface ComparisonRunner {
  /** Copies the project as it is now, or what `sourcePath` has instead. `start` then works from that copy. */
  readonly create: (input: ComparisonInput, signal: AbortSignal, sourcePath?: string) => Promise<string>;
  /** Carries out the runs that have not ended. Does nothing if it is running. `maxUsd`: for all runs together. */
  readonly start: (id: string, maxUsd: number | undefined) => Promise<void>;
  /** Calls `listener` now and after each change, and `end` when no more will come. Returns how to stop watching. */
  readonly watch: (id: string, listener: Watcher['listener'], end: Watcher['end']) => Promise<() => void>;
  readonly cancel: (id: string) => Promise<void>;
  /** Stops it for good: the state that its runs begin with is removed, and what has not ended never will. */
  readonly giveUp: (id: string) => Promise<void>;
  /** Keeps what a person says about a pair of runs, in place of what they said before. */
  readonly judge: (id: string, judgement: PairVerdict) => Promise<void>;
  readonly show: (id: string) => Promise<Comparison>;
  readonly list: () => Promise<readonly Comparison[]>;
  readonly unread: ComparisonStore['unread'];
  readonly running: () => number;
  readonly idle: () => Promise<void>;
  /** Stops running comparisons. Ended runs are kept. */
  readonly dispose: () => Promise<void>;
}

export interface ComparisonRunnerOptions {
  readonly home: string;
  readonly store: ComparisonStore;
  readonly sessionStore: SessionStore;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly sessions: OpenSessions;
  readonly settings: () => Settings;
  /** Null: it is not there, or its endpoint cannot be asked. */
  readonly modelInfo: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
  readonly prepareWorkspace: typeof prepareWorkspace;
  /** The model whose price counts for steps that did not run in the cloud. Null: no model with a price is set up. */
  readonly reference: HomeMoney['reference'];
  readonly routes: RoutingSnapshotTaker;
  /** Takes over how a run was judged. Not called before all of them are done: no run may change the next one. */
  readonly learnRun: RouteRecord['learnRun'];
  /** Asks the model that judges. */
  readonly ask: AskJudge;
  /** Where tests are tried that a task names. */
  readonly trial: NamedTestsOptions;
  readonly now: () => number;
}

interface Job extends Pick<RunContext, 'keep'> {
  comparison: Comparison;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

interface Watcher {
  readonly listener: (comparison: Comparison) => void;
  readonly end: (error?: unknown) => void;
}

/** Everything that a run needs from its comparison. */
interface RunContext {
  readonly options: ComparisonRunnerOptions;
  readonly signal: AbortSignal;
  readonly current: () => Comparison;
  /** Changes one run, writes the file, and then calls the watchers. */
  readonly put: (index: number, change: Partial<ComparisonRun>, cutOff?: CutOff) => Promise<void>;
  readonly keep: (judgement: PairVerdict) => Promise<void>;
}

export function createComparisonRunner(options: ComparisonRunnerOptions): ComparisonRunner {
  const jobs = createJobs(options);
  return {
    create: (input, signal, sourcePath) => createComparison(options, { input, sourcePath }, signal),
    start: async (id, maxUsd) => jobs.start(await jobs.show(id), maxUsd),
    watch: async (id, listener, end) => {
      listener(await jobs.show(id));
      return jobs.watch(id, { listener, end });
    },
    cancel: (id) => jobs.stop(id),
    giveUp: async (id) => {
      await jobs.stop(id);
      await removeBases(options, await jobs.show(id));
    },
    judge: (id, judgement) => jobs.judge(id, judgement),
    show: jobs.show,
    list: async () => (await options.store.list()).map((one) => jobs.running(one.id) ?? one),
    unread: options.store.unread,
    running: () => jobs.ids().length,
    idle: async () => {
      await Promise.all(jobs.ids().map(jobs.idle));
    },
    dispose: async () => {
      await Promise.all(jobs.ids().map(jobs.stop));
    },
  };
}

/** The running comparisons, and who watches them. */
interface Jobs {
  readonly ids: () => readonly string[];
  /** Null: it is not running. */
  readonly running: (id: string) => Comparison | null;
  /** The current state, also between two writes of its file. */
  readonly show: (id: string) => Promise<Comparison>;
  readonly start: (comparison: Comparison, maxUsd: number | undefined) => void;
  readonly watch: (id: string, watcher: Watcher) => () => void;
  readonly stop: (id: string) => Promise<void>;
  readonly judge: (id: string, judgement: PairVerdict) => Promise<void>;
  readonly idle: (id: string) => Promise<void>;
}

function createJobs(options: ComparisonRunnerOptions): Jobs {
  const jobs = new Map<string, Job>();
  const watchers = new Map<string, Set<Watcher>>();
  let judged: Promise<void> = Promise.resolve();
  const keepVerdict = async (id: string, judgement: PairVerdict): Promise<void> => {
    const found = await options.store.load(id);
    const job = jobs.get(id);
    if (job !== undefined) return job.keep(judgement);
    const judged = withVerdict(found, judgement);
    await options.store.save(judged);
    await learnFrom(options, judged, judgement);
  };
  const watching = (id: string): Watcher[] => [...(watchers.get(id) ?? [])];
  const finish = (id: string, error?: unknown): void => {
    jobs.delete(id);
    for (const { end } of watching(id)) end(error);
    watchers.delete(id);
  };
  const idle = async (id: string): Promise<void> => {
    // The watchers get the error.
    await jobs.get(id)?.ended.catch(() => undefined);
  };
  return {
    ids: () => [...jobs.keys()],
    running: (id) => jobs.get(id)?.comparison ?? null,
    show: async (id) => jobs.get(id)?.comparison ?? (await options.store.load(id)),
    idle,
    start: (found, maxUsd) => {
      const { id } = found;
      if (jobs.has(id)) return;
      const comparison = maxUsd === undefined ? found : { ...found, input: { ...found.input, maxUsd } };
      const job = begin(options, comparison, (changed) => {
        for (const { listener } of watching(id)) listener(changed);
      });
      jobs.set(id, job);
      job.ended.then(
        () => finish(id),
        // Whoever watches one that was stopped sees what has ended, as of any other.
        (error: unknown) => finish(id, job.stop.signal.aborted ? undefined : error),
      );
    },
    watch: (id, watcher) => {
      if (!jobs.has(id)) {
        watcher.end();
        return () => undefined;
      }
      const all = watchers.get(id) ?? new Set();
      watchers.set(id, all.add(watcher));
      return () => void all.delete(watcher);
    },
    stop: async (id) => {
      jobs.get(id)?.stop.abort();
      await idle(id);
    },
    judge: (id, judgement) => {
      // One after the other: two that are given quickly must not write over each other.
      judged = judged.catch(() => undefined).then(() => keepVerdict(id, judgement));
      return judged;
    },
  };
}

/** Runs a comparison. A change is in the file before watchers see it. */
function begin(options: ComparisonRunnerOptions, comparison: Comparison, onChange: (changed: Comparison) => void): Job {
  const stop = new AbortController();
  let saved: Promise<void> = Promise.resolve();
  const change = async (changed: Comparison): Promise<void> => {
    job.comparison = changed;
    // In their order: a verdict may come while a run writes.
    saved = saved.catch(() => undefined).then(() => options.store.save(changed));
    await saved;
    onChange(changed);
  };
  const put: RunContext['put'] = (index, changed, cutOff) => {
    const { runs, ...rest } = job.comparison;
    const { abandoned, abandonedUsd = 0 } = rest;
    return change({
      ...rest,
      runs: runs.map((run, at) => (at === index ? { ...run, ...changed } : run)),
      ...(cutOff === undefined
        ? {}
        : { abandoned: [...abandoned, cutOff.sessionId], abandonedUsd: abandonedUsd + cutOff.usd }),
    });
  };
  const keep: RunContext['keep'] = (judgement) => change(withVerdict(job.comparison, judgement));
  const job: Job = { comparison, stop, keep, ended: Promise.resolve() };
  const work = { options, signal: stop.signal, current: () => job.comparison, put, keep };
  return Object.assign(job, { ended: runAll(work) });
}

async function createComparison(
  options: ComparisonRunnerOptions,
  { input, sourcePath }: { readonly input: ComparisonInput; readonly sourcePath: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  const empty = input.tasks.find(({ text }) => text.trim() === '');
  if (empty !== undefined) throw emptyTask(input, empty.name);
  const usual = settingsForProject(options.settings(), input.projectPath);
  const ways = eachWay(input.ways);
  const cloud = input.cloud ?? usual.cloud;
  const inNeed = ways.filter((way) => mayLeave(way) && way.cloud === undefined);
  if (inNeed.length > 0 && cloud === null) {
    throw new AppError(
      'missing-model',
      `No cloud model is set up, so ${inNeed.map(wayName).join(' and ')} cannot be compared.`,
      { hint: 'Name one with --cloud PROVIDER/MODEL, or compare local ways: --way local:PROVIDER/MODEL.' },
    );
  }
  const models = { local: input.local ?? usual.local, ...(cloud === null ? {} : { cloud }) };
  await refuseMissingThinking(options, { ...input, ways: [...ways], ...models }, signal);
  const id = options.sessionStore.newSessionId();
  const tasks = await copyBases(options, { id, input, sourcePath }, signal);
  // Fixes the models now, so that later settings do not change what is compared.
  const fixed = { ...input, tasks, ways: [...ways], ...models };
  const comparison = {
    id,
    createdAt: options.now(),
    input: fixed,
    routingSnapshot: await options.routes.now(fixed),
    runs: plannedRuns(fixed),
    judgements: [],
    abandoned: [],
  };
  await options.store.save(comparison);
  return id;
}

function emptyTask({ tasks }: ComparisonInput, name: string): AppError {
  const which = tasks.length === 1 ? 'The task' : `The task "${name}"`;
  return new AppError('bad-input', `${which} is empty.`, { hint: 'Describe what you would like done.' });
}

async function runAll(work: RunContext): Promise<void> {
  const { options, signal, current, put } = work;
  const cannot = new Map<number, string | null>();
  for (const index of current().runs.keys()) {
    signal.throwIfAborted();
    if (current().runs[index]?.state === 'ended') continue;
    const task = current().runs[index]?.task ?? 0;
    if (!cannot.has(task)) cannot.set(task, await whyNobodyCanJudge(work, index));
    const why = cannot.get(task) ?? null;
    if (why !== null) {
      await put(index, { state: 'skipped', why });
      continue;
    }
    await setAside(work, index);
    const run = current().runs[index];
    if (run === undefined) continue;
    const left = moneyLeft(current());
    if (left !== null && left <= 0 && costs(current(), run)) {
      await put(index, { state: 'skipped', why: leftAtLimit(current().input.maxUsd ?? 0) });
      continue;
    }
    try {
      await carryOut(work, index, run, left);
    } catch (error) {
      // Keeps the session id, so that the next start knows which run was cut off.
      await put(index, { state: 'waiting', why: signal.aborted ? 'stopped' : messageOf(error) });
      throw error;
    }
  }
  if (current().runs.every((run) => run.state === 'ended')) {
    await removeBases(options, current());
    const dropping = dropTasksOf({ home: options.home, ...options.store }, current());
    await dropping.catch(orNoted('The folders of tasks were not removed', undefined));
  }
  await judgeRuns({ ...work, ask: options.ask, leftUsd: () => moneyLeft(current()) });
  await learnFrom(options, current(), null, signal);
}

/** Hands over what the runs say of their models; with a pair, only those two. */
async function learnFrom(
  options: ComparisonRunnerOptions,
  comparison: Comparison,
  pair: PairVerdict | null,
  signal?: AbortSignal,
): Promise<void> {
  for (const run of comparison.runs) {
    if (signal?.aborted === true) return;
    if (pair !== null && (run.task !== pair.task || run.repeat !== pair.repeat)) continue;
    if (pair !== null && run.way !== pair.left && run.way !== pair.right) continue;
    const solved = isSolvedBy(comparison, run);
    // Only a person's verdict takes an earlier one back.
    if ((solved === null && pair === null) || run.sessionId === null) continue;
    const state = await stateOf(options, run.sessionId).catch(orNoted('A run was not counted', null));
    if (state === null) continue;
    // What is only learned fails no work that was saved.
    const learning = options.learnRun(state, { solved, repeat: comparison.input.repeat });
    await learning.catch(orNoted('A run was not counted', undefined));
  }
}

/** Tries the tests that the task of a run names before an agent works. Null: they can judge. */
async function whyNobodyCanJudge({ options, signal, current }: RunContext, index: number): Promise<string | null> {
  const { id, input, runs } = current();
  const run = runs[index];
  const { hidden } = run === undefined ? {} : taskOf(input, run);
  if (run === undefined || hidden?.tests === undefined) return null;
  const from = startOfRun(options, current(), run);
  return whyNotHere(options.trial, { id: `${id}-${run.task}`, projectPath: input.projectPath, from, hidden }, signal);
}

/** A run that was cut off is done again, in a session of its own. What the cut one cost stays spent. */
async function setAside({ options, current, put }: RunContext, index: number): Promise<void> {
  const sessionId = current().runs[index]?.sessionId ?? null;
  if (sessionId === null || (await endedBefore(options, sessionId)) !== null) return;
  const state = await stateOf(options, sessionId).catch(() => null);
  await put(index, { sessionId: null }, cutOffOf(sessionId, state));
}

/** One run: a session on a fresh copy, the task, the check. A session that ended before is only checked. */
async function carryOut(work: RunContext, index: number, run: ComparisonRun, left: number | null): Promise<void> {
  const { options, signal, current, put } = work;
  const { id, input } = current();
  const task = taskOf(input, run);
  const fencesBefore = await options.routes.fences(input.projectPath);
  let { sessionId } = run;
  if (sessionId === null) {
    sessionId = await options.sessions.create({
      projectPath: input.projectPath,
      sourcePath: startOfRun(options, current(), run),
      workspace: 'copy',
      groupId: id,
      falseAnswer: task.falseAnswer,
      title: `compare ${run.way} ${run.repeat}: ${task.name}`.replaceAll(/\s+/gu, ' ').slice(0, 80),
    });
    await put(index, { state: 'running', sessionId, why: null, check: null, figures: null });
    await runTask(work, sessionId, { run, left });
  }
  const state = await stateOf(options, sessionId);
  const outage = outageOf(state);
  if (outage !== null) {
    await options.sessions.sandboxes.rest(sessionId);
    await put(index, { state: 'waiting', sessionId: null, why: outage }, cutOffOf(sessionId, state));
    return;
  }
  const result = buildRunResult(state, await options.reference(wayOf(input, run.way)?.cloud ?? input.cloud ?? null));
  if (result === null) throw new AppError('internal', `The run in session ${sessionId} did not end.`);
  signal.throwIfAborted();
  const judged = await judgeRun(options, { comparison: current(), run, state, sessionId, result }, signal);
  await options.sessions.sandboxes.rest(sessionId);
  signal.throwIfAborted();
  const fences = [fencesBefore, await options.routes.fences(input.projectPath)];
  const isLike =
    current().routingSnapshot === undefined || fences.every((one) => one === current().routingSnapshot?.fences);
  await put(index, {
    state: 'ended',
    why: isLike ? judged.why : fencesChangedText,
    check: judged.check,
    figures: {
      ...figuresOf(result, options.settings().energy),
      // What did not judge the run says nothing by having passed before it.
      ...(judged.check === null ? { passedBefore: null } : {}),
    },
  });
}

const fencesChangedText = 'Privacy rules changed after the comparison started.';

/** Resolves when the turn has ended. Cancelling the comparison cancels the turn. */
async function runTask(
  { options, signal, current }: RunContext,
  sessionId: string,
  { run, left }: { readonly run: ComparisonRun; readonly left: number | null },
): Promise<void> {
  const { sessions } = options;
  const cancel = (): void => void sessions.cancel(sessionId);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    sessions.hold(sessionId, snapshotOf(current(), run));
    await sessions.send(sessionId, taskOf(current().input, run).text, optionsOf(current(), run, left));
    if (signal.aborted) await sessions.cancel(sessionId);
    const runner = sessions.runner(sessionId);
    await runner?.idle();
    const failure = runner?.failure() ?? null;
    if (failure !== null) throw failure;
  } finally {
    // Later turns of this session use the settings at that time.
    sessions.hold(sessionId, null);
    signal.removeEventListener('abort', cancel);
  }
  signal.throwIfAborted();
}

async function stateOf({ sessions, sessionStore }: ComparisonRunnerOptions, sessionId: string): Promise<SessionState> {
  return sessions.openJournal(sessionId)?.state() ?? (await sessionStore.view(sessionId)).state;
}

/** The state of a session whose turn ended by itself. Null if it was cut off, cancelled or never began. */
async function endedBefore(options: ComparisonRunnerOptions, sessionId: string): Promise<SessionState | null> {
  const state = await stateOf(options, sessionId).catch(() => null);
  const reason = state?.turns.at(-1)?.reason ?? null;
  if (state === null || reason === null || reason === 'crashed' || reason === 'cancelled') return null;
  return outageOf(state) === null ? state : null;
}

/** Failed calls that say something of the model or the way: it was asked for more than it takes. */
const ownFailures: readonly string[] = ['context-full', 'bad-request'];

/** Why a session shows nothing of its model: that could not be reached, or its service refused. Null: it worked. */
function outageOf({ turns, steps }: SessionState): string | null {
  const turn = turns.at(-1);
  if (turn?.reason === 'missing') return neverRan(turn.failure?.message ?? turn.text);
  const error = steps.findLast(({ turnId }) => turnId === turn?.id)?.end?.error ?? null;
  if (turn?.reason !== 'error' || error === null || ownFailures.includes(error.code)) return null;
  return `Its model could not be reached or used, so it is not judged: ${turn.failure?.message ?? error.message}`;
}
