import { join } from 'node:path';
import type { Calibration, CalibrationTask } from '@shared/calibration/calibration.ts';
import { AppError } from '@shared/errors.ts';
import { makeFolder } from '../../lib/files/json-file.ts';
import { isTestFile } from '../../projects/facts/gather-project-facts.ts';
import type { keepTask } from '../library/capsule/keep-task.ts';
import { removeFolder } from './trial-place.ts';
import { filesOfTask, type FilesOfTaskOptions } from './work-on-task.ts';

/** Writes a task as a capsule. */
export type KeepTask = (
  path: string,
  task: Parameters<typeof keepTask>[2],
  signal: AbortSignal,
) => ReturnType<typeof keepTask>;

interface KeepingWork {
  readonly options: FilesOfTaskOptions & { readonly keepTask: KeepTask };
  readonly signal: AbortSignal;
  readonly current: () => Calibration;
  readonly put: (change: Partial<Calibration>) => Promise<void>;
  /** The project as it was copied. */
  readonly folder: string;
  readonly historyPath: string;
  /** Where the capsules lie. */
  readonly target: string;
}

/** Keeps each task as a capsule. One that cannot be kept is named with the reason, and is worked on all the same. */
export async function keepTasks(work: KeepingWork): Promise<void> {
  const { signal, current, put, target } = work;
  if (current().tasks.length === 0) return;
  await makeFolder(target);
  for (const task of current().tasks) {
    signal.throwIfAborted();
    const { tasks = [], notes = [] } = current().kept ?? {};
    if (tasks.includes(task.id)) continue;
    const note = await keepOne(work, task);
    await put({
      kept: {
        folder: target,
        tasks: note === null ? [...tasks, task.id] : tasks,
        notes: note === null ? notes : [...new Set([...notes, note])],
      },
    });
  }
}

/** Returns why it was not kept. Null: it was. */
async function keepOne(work: KeepingWork, task: CalibrationTask): Promise<string | null> {
  const { options, signal, current, folder, historyPath, target } = work;
  const { id, input } = current();
  const { kind, title, request, check, answer, tests } = task;
  const files = await filesOfTask({ options, id, task, folder, historyPath }, signal);
  try {
    await options.keepTask(
      join(target, `${task.id}.capsule`),
      {
        projectPath: input.projectPath,
        folder: files,
        id: `${id}-${task.id}`,
        title,
        task: { kind, request, check, answer },
        isTest: (path) => tests.includes(path) || isTestFile(path),
      },
      signal,
    );
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || error.code === 'disk-full') throw error;
    return `${task.id} is not kept as a capsule: ${error.message}`;
  } finally {
    await removeFolder(files);
  }
}
