import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEvent } from '@shared/events/events.ts';
import type { Strategy } from '@shared/models/model-info.ts';
import type { TaskBed } from './judge.ts';
import { changedPlaces, rankOf } from './located.ts';
import { lostTests } from './passed-tests.ts';
import type { ReplyCache } from './reply-cache.ts';
import { keyOf, type Results, type TaskRecord } from './results.ts';
import { changedPaths, guardViolations, type Snapshot, takeSnapshot } from './snapshot.ts';
import { describeSwitches, type TaskOptions } from './task-options.ts';
import type { TaskOutcome, TaskRunner } from './task-runner.ts';
import { gradeAnswer, type Task } from './tasks.ts';

export interface RunTasksParts {
  readonly runner: TaskRunner;
  readonly bed: TaskBed;
  readonly results: Results;
  /** The folder for the working copies of projects. */
  readonly workFolder: string;
  readonly commit: string;
  /** Absent: answers are not kept, so it is not known what was asked. */
  readonly replies?: Pick<ReplyCache, 'begin' | 'asked'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly say: (line: string) => void;
}

interface Job {
  readonly task: Task;
  readonly model: string;
  readonly strategy: Strategy;
  readonly without: TaskOptions['without'];
}

/**
 * Runs every task with every model and strategy that the results lack. Returns all records, including those of earlier
 * runs. Models are the outer loop, so that an engine loads each of them once. On abort or when the time is over, it
 * ends early with the records so far.
 */
export async function runTasks(
  tasks: readonly Task[],
  options: TaskOptions,
  parts: RunTasksParts,
  signal: AbortSignal,
): Promise<readonly TaskRecord[]> {
  const { results, now, say } = parts;
  const jobs = options.models.flatMap((model) =>
    options.strategies.flatMap((strategy) =>
      tasks.flatMap((task, index) => armsOf(options, index).map((without) => ({ task, model, strategy, without }))),
    ),
  );
  const end = options.totalMinutes === null ? Infinity : now() + options.totalMinutes * 60_000;
  const records: TaskRecord[] = [];
  for (const [index, job] of jobs.entries()) {
    const key = keyOf(namesOf(job), { ...options, without: job.without });
    const earlier = results.done.get(key);
    if (earlier !== undefined) {
      records.push(earlier);
      continue;
    }
    if (signal.aborted || now() >= end) {
      say(`stopped before task ${index + 1} of ${jobs.length}; --resume with the results file goes on`);
      break;
    }
    const record = await doJob(job, { ...options, without: job.without }, parts, signal);
    if (signal.aborted) break;
    await results.append(record);
    records.push(record);
    say(`${index + 1}/${jobs.length} ${describeRecord(record)}`);
  }
  return records;
}

/** What a task is done without, run by run. Pairs begin with the one and the other in turn, so load falls on both. */
function armsOf({ isPaired, without }: TaskOptions, index: number): readonly TaskOptions['without'][] {
  if (!isPaired) return [without];
  return index % 2 === 0 ? [[], without] : [without, []];
}

function namesOf({ task, model, strategy }: Job): Pick<TaskRecord, 'task' | 'model' | 'strategy'> {
  return { task: task.id, model, strategy };
}

/** Runs one task in a fresh copy and judges the result. A failure of the bench itself is a `fault`. */
async function doJob(job: Job, options: TaskOptions, parts: RunTasksParts, signal: AbortSignal): Promise<TaskRecord> {
  const { task, model, strategy } = job;
  const folder = join(parts.workFolder, `${task.id}-${strategy}`);
  const begun = {
    key: keyOf(namesOf(job), options),
    task: task.id,
    kind: task.kind,
    split: task.split,
    model,
    strategy,
    seed: options.seed,
    switches: describeSwitches(options),
    at: new Date(parts.now()).toISOString(),
    commit: parts.commit,
  };
  try {
    await mkdir(parts.workFolder, { recursive: true });
    await parts.bed.prepare(task, folder, signal);
    const before = await takeSnapshot(folder);
    const passedBefore = await parts.bed.passedBefore(task, signal);
    parts.replies?.begin();
    const outcome = await parts.runner.run(
      {
        projectPath: folder,
        prompt: task.prompt,
        check: options.passCheck ? task.testCommand : null,
        model,
        strategy,
        seed: options.seed,
        maxMinutes: options.maxMinutes,
        ...(options.without.length === 0 ? {} : { without: options.without }),
      },
      signal,
    );
    const after = await takeSnapshot(folder);
    const judged = await judgeWork({ job, folder, outcome, before, after, passedBefore }, parts.bed, signal);
    const rank = rankOf(outcome.events, await changedPlaces(task.projectFolder, join(task.folder, 'solution')));
    const asked = parts.replies === undefined ? {} : { asked: [...parts.replies.asked()] };
    const where = rank === undefined ? {} : { rank };
    return { ...begun, ...figuresOf(outcome), ...judged, ...where, ...asked, fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { ...begun, ...nothing, fault };
  } finally {
    if (options.keep === null) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

interface Work {
  readonly job: { readonly task: Task; readonly strategy: Strategy };
  readonly folder: string;
  readonly outcome: TaskOutcome;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly passedBefore: ReadonlySet<string>;
}

/** Judges the state of a task after the work. */
export async function judgeWork(
  { job, folder, outcome, before, after, passedBefore }: Work,
  bed: TaskBed,
  signal: AbortSignal,
): Promise<Pick<TaskRecord, 'solved' | 'visible' | 'accepted' | 'changed' | 'guarded' | 'worse'>> {
  const { result } = outcome;
  const changed = changedPaths(before, after);
  const guarded = guardViolations(before, after);
  const { answer } = job.task;
  if (answer !== null) {
    const solved = result.status === 'done' && gradeAnswer(answer, result.text).isRight;
    return {
      solved,
      visible: null,
      accepted: false,
      changed: [...changed],
      guarded: [...guarded],
      worse: [...changed],
    };
  }
  const verdict = await bed.judge(job.task, folder, signal);
  const lost = lostTests(passedBefore, verdict.passed).map((name) => `fails now: ${name}`);
  const left = mustBeUntouched(result.status, job.strategy) ? changed.map((path) => `left changed: ${path}`) : [];
  return {
    solved: verdict.hidden,
    visible: verdict.visible,
    accepted: result.status === 'done',
    changed: [...changed],
    guarded: [...guarded],
    worse: [...lost, ...left],
  };
}

// Giving up must leave everything unchanged. A recipe must do so whenever it ends without success.
function mustBeUntouched(status: TaskOutcome['result']['status'], strategy: Strategy): boolean {
  return status === 'gave-up' || (strategy === 'recipe' && status !== 'done');
}

type Figures = Pick<
  TaskRecord,
  'confidence' | 'status' | 'reason' | 'text' | 'steps' | 'actions' | 'seconds' | 'tokens' | 'recipe' | 'arm'
>;

function figuresOf({ result, events, seconds }: TaskOutcome): Figures {
  const { confidence, status, reason, text, steps, actions, tokens } = result;
  const chosen = events.findLast((event) => event.type === 'stage-chosen');
  return {
    confidence,
    status,
    reason,
    steps,
    actions,
    seconds,
    tokens,
    text: text.slice(0, 2_000),
    recipe: chosen?.type === 'stage-chosen' ? chosen.recipe : null,
    arm: status === 'done' ? armOf(events, result) : null,
  };
}

/**
 * The part of a recipe that found the change: from its last event about an acceptance (`data.origin`), otherwise
 * derived from the run.
 */
export function armOf(
  events: readonly SessionEvent[],
  { confidence, steps }: Pick<TaskOutcome['result'], 'confidence' | 'steps'>,
): string | null {
  for (const event of events.toReversed()) {
    if (event.type !== 'recipe-progressed' || typeof event.data !== 'object' || event.data === null) continue;
    const named = 'origin' in event.data ? event.data.origin : 'arm' in event.data ? event.data.arm : null;
    if (typeof named === 'string' && event.phase.startsWith('accept')) return named;
  }
  return confidence === 'mechanical' || (steps === 0 && confidence !== null) ? 'mechanical' : null;
}

const nothing = {
  solved: false,
  visible: null,
  accepted: false,
  confidence: null,
  status: 'error',
  reason: 'not tried',
  text: '',
  steps: 0,
  actions: 0,
  seconds: 0,
  tokens: { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
  changed: [],
  guarded: [],
  worse: [],
  recipe: null,
  arm: null,
};

/** One line for people to read. */
export function describeRecord(record: TaskRecord): string {
  const { task, strategy, solved, status, reason, seconds, steps, fault } = record;
  if (fault !== null) return `${task} ${strategy}: not tried: ${fault.split('\n')[0] ?? ''}`;
  const how = record.arm === null ? '' : `, by ${record.arm}`;
  const wrong = [
    record.accepted && !solved ? ', FALSE ACCEPT' : '',
    record.guarded.length > 0 ? `, GUARDED ${record.guarded.join(' ')}` : '',
    record.worse.length > 0 ? `, WORSE ${record.worse.length}` : '',
  ].join('');
  const word = solved ? 'solved' : 'not solved';
  return `${task} ${strategy}: ${word} (${status}: ${reason}${how}), ${seconds.toFixed(1)} s, ${steps} steps${wrong}`;
}
