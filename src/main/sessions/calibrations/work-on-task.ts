import { join } from 'node:path';
import type { Calibration, CalibrationRun, CalibrationTask } from '@shared/calibration/calibration.ts';
import { comparisonInputSchema, type Comparison } from '@shared/comparisons/comparison.ts';
import { nameOfTask } from '@shared/comparisons/way-name.ts';
import { knownUsdOf, turnCostUsd } from '@shared/money/turn-money.ts';
import type { SessionState, StepEnd } from '@shared/session/session-state.ts';
import type { RunGit } from '../../git/process/run-apart.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { RouteRecord } from '../../routing/record/route-record.ts';
import type { ComparisonRunner } from '../comparisons/run-comparisons.ts';
import { readLastWords, type SessionLog } from '../log/whole-texts.ts';
import { checkOutInto } from './commit-tasks.ts';
import { judgeSolution } from './judge-solution.ts';
import { type CopyOptions, copyInto, putFiles, removeFolder } from './trial-place.ts';

export interface FilesOfTaskOptions extends CopyOptions {
  readonly runGit: RunGit;
}

export interface TaskWorkOptions extends FilesOfTaskOptions {
  /** Its comparisons are not among those of the person. */
  readonly comparisons: ComparisonRunner;
  readonly logOf: (sessionId: string) => Promise<SessionLog>;
  readonly record: Pick<RouteRecord, 'add'>;
}

/** One run while it is carried out. */
export interface TaskWork {
  readonly options: TaskWorkOptions;
  readonly calibration: Calibration;
  readonly task: CalibrationTask;
  readonly run: CalibrationRun;
  readonly folder: string;
  readonly historyPath: string;
  /** What is left of the spending limit. Null: the run costs nothing. */
  readonly leftUsd: number | null;
  readonly put: (change: Partial<CalibrationRun>) => Promise<void>;
}

/**
 * Works on one task with one model, as a comparison with one run: in a copy, with the task's own check. A run that was
 * cut off is done again, and counts once.
 */
export async function workOnTask(work: TaskWork, signal: AbortSignal): Promise<void> {
  const { options, calibration, run, put } = work;
  const { comparisons } = options;
  const known = run.comparisonId;
  const comparisonId = known ?? (await beginComparison(work, signal));
  await put({ state: 'running', comparisonId });
  const late = childAbort(signal, { ms: calibration.input.taskMinutes * 60_000 });
  const cancel = (): void => void comparisons.cancel(comparisonId);
  late.signal.addEventListener('abort', cancel, { once: true });
  try {
    await comparisons.start(comparisonId, work.leftUsd ?? undefined);
    if (late.signal.aborted) cancel();
    await untilEnded(comparisons, comparisonId);
  } finally {
    late.signal.removeEventListener('abort', cancel);
    late.release();
  }
  signal.throwIfAborted();
  await put({ state: 'ended', ...(await resultOf(work, await comparisons.show(comparisonId), late.signal.aborted)) });
  // A task that took too long is not done again.
  await comparisons.giveUp(comparisonId);
}

async function beginComparison(work: TaskWork, signal: AbortSignal): Promise<string> {
  const { options, calibration, task, run, leftUsd } = work;
  const { projectPath, seed } = calibration.input;
  const folder = await filesOfTask({ ...work, id: calibration.id }, signal);
  try {
    const input = comparisonInputSchema.parse({
      tasks: [
        {
          name: nameOfTask(task.request),
          text: task.request,
          // As a hidden check, it runs with the test setup as it was.
          ...(task.check === null ? {} : { check: task.check, hidden: { command: task.check } }),
        },
      ],
      projectPath,
      ways: [{ policy: run.where, [run.where]: run.model }],
      ...(leftUsd === null ? {} : { maxUsd: leftUsd }),
      seed,
    });
    return await options.comparisons.create(input, signal, folder);
  } finally {
    await removeFolder(folder);
  }
}

interface TaskPlace extends Pick<TaskWork, 'task' | 'folder' | 'historyPath'> {
  readonly options: FilesOfTaskOptions;
  /** Of the calibration. */
  readonly id: string;
}

/** A folder with the first state of a task, without history: a look at it would give the answer away. */
export async function filesOfTask(
  { options, id, task, folder, historyPath }: TaskPlace,
  signal: AbortSignal,
): Promise<string> {
  const target = join(options.home, 'workspaces', `${id}-task`);
  if (task.commit === null) await copyInto(options, { from: folder, to: target }, signal);
  else await checkOutInto(options.runGit, { historyPath, commit: task.commit, folder: target }, signal);
  await putFiles(target, task.files);
  return target;
}

async function untilEnded(comparisons: ComparisonRunner, id: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const end = (error?: unknown): void => {
      if (error === undefined || (error instanceof Error && error.name === 'AbortError')) resolve();
      else reject(error);
    };
    comparisons.watch(id, () => undefined, end).catch(reject);
  });
}

/** Says nothing of what a model can do: its server may hang. */
export const noAnswer = 'the model gave no answer';

/** What a run shows that the time of its task ended. */
export function lateResult(
  steps: readonly { readonly end: Pick<StepEnd, 'usage'> | null }[],
  taskMinutes: number,
): Pick<CalibrationRun, 'solved' | 'why'> {
  const time = `${taskMinutes} ${taskMinutes === 1 ? 'minute' : 'minutes'}`;
  const hasAnswered = steps.some(({ end }) => end !== null && end.usage.output > 0);
  return hasAnswered
    ? { solved: false, why: `it took longer than ${time}` }
    : { solved: null, why: `${noAnswer} within ${time}` };
}

async function resultOf(work: TaskWork, comparison: Comparison, isLate: boolean): Promise<Partial<CalibrationRun>> {
  const { options, task, run, calibration } = work;
  const [found] = comparison.runs;
  const { sessionId = null, figures = null, check = null } = found ?? {};
  const log = sessionId === null ? null : await options.logOf(sessionId);
  const state = log?.state ?? null;
  const known = {
    sessionId,
    seconds: figures?.seconds ?? null,
    costUsd: costOf(state, comparison.abandonedUsd ?? 0),
    energyWh: figures?.energyWh ?? null,
  };
  // Also one that waits because its model could not be reached.
  if (found?.state === 'skipped' || (found?.state === 'waiting' && !isLate))
    return { ...known, solved: null, why: found.why };
  if (found?.state !== 'ended' || state === null || log === null)
    return { ...known, ...lateResult(state?.steps ?? [], calibration.input.taskMinutes) };
  if (figures?.status === 'missing' || (figures?.status === 'cap' && check?.passed !== true))
    return { ...known, solved: null, why: figures.reason };
  const judged = judgeSolution(task, { text: await readLastWords(log), changes: state.changes, check });
  if (run.where === 'local' && judged.solved !== null)
    await options.record.add([
      {
        // The same task again, in a later calibration too, is no new evidence.
        id: [calibration.input.projectPath, task.title, task.request, run.model].join('\n'),
        projectPath: calibration.input.projectPath,
        model: run.model,
        language: endingOf(task),
        kind: task.kind === 'question' ? 'question' : 'repair',
        solved: judged.solved,
        seconds: known.seconds ?? 0,
        usd: known.costUsd,
        calls: figures?.steps ?? 0,
        written: figures?.tokens.output ?? null,
      },
    ]);
  return { ...known, ...judged };
}

/** Of all sessions that worked on it, also one that was cut off. Null: a price is unknown. */
function costOf(state: SessionState | null, abandonedUsd: number): number | null {
  if (state === null) return abandonedUsd;
  return state.turns.some((turn) => turnCostUsd(turn) === null) ? null : knownUsdOf(state) + abandonedUsd;
}

/** The ending of the file that the true change is in: `py`. */
function endingOf({ solution, answer }: CalibrationTask): string {
  const path = answer?.type === 'file' ? answer.path : (solution[0]?.path ?? '');
  return /\.([a-z0-9]{1,10})$/iu.exec(path)?.[1]?.toLowerCase() ?? '';
}
