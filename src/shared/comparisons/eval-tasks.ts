import type { KnownAnswer } from '@shared/calibration/known-answer.ts';
import type { FalseAnswer } from '@shared/sandbox/false-answer.ts';
import type { ComparisonTask } from './comparison.ts';

/** A task of a folder or a file: what is asked, where, and what judges it. */
export interface EvalTask {
  readonly id: string;
  /** The kind that it names, or its form. */
  readonly kind: string;
  readonly prompt: string;
  /** Whose files it begins with, and whose rules hold. Null: it names none. */
  readonly projectPath: string | null;
  /** The files that it begins with, in place of those of the project. Absent: there is no difference. */
  readonly start?: NonNullable<ComparisonTask['start']>;
  /** What the agent may run to see whether it is done. Null: it looks for the project's tests. */
  readonly check: string | null;
  /** Decides after the run. The files of its folder are laid over the copy first, so no agent ever sees them. */
  readonly hidden: NonNullable<ComparisonTask['hidden']> | null;
  /** Decides for a question. */
  readonly answer?: KnownAnswer;
  /** In its copy, a command answers falsely. */
  readonly falseAnswer?: FalseAnswer;
  /** A hash of what it consists of. */
  readonly state?: string;
  /** What is not as it was where the task was made. */
  readonly note?: string;
}

/** What was read of a folder or a file of tasks. */
export interface EvalTasks {
  /** `kept`: capsules and texts. */
  readonly form: 'own' | 'polyglot' | 'swe-bench' | 'kept';
  readonly tasks: readonly EvalTask[];
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
}

/**
 * The tasks as one comparison takes them: each that brings files starts from those. `projectPath`: the project that they
 * were made of, or the files of the first one. Null: none brings files.
 */
export function comparedTasks({ tasks }: Pick<EvalTasks, 'tasks'>): {
  readonly tasks: readonly ComparisonTask[];
  readonly projectPath: string | null;
} {
  return {
    tasks: tasks.map((task) => {
      const { start, projectPath } = task;
      const own = start ?? (projectPath === null ? undefined : { projectPath, packages: [] });
      return comparisonTaskOf(own === undefined ? task : { ...task, start: own });
    }),
    projectPath: tasks.find(({ projectPath }) => projectPath !== null)?.projectPath ?? null,
  };
}

/** The folder of its files, where one was made for it or it brings one. */
export function madePath({ start, projectPath }: EvalTask): readonly string[] {
  const path = start?.projectPath ?? projectPath;
  return path === null ? [] : [path];
}

/** Tasks that were taken from sessions. `projectPath` null: they have no project. */
export interface SessionTasks {
  readonly tasks: readonly ComparisonTask[];
  readonly projectPath: string | null;
}

/** What became of the folders that were made for tasks. */
export interface DroppedTasks {
  readonly removed: number;
  readonly removedBytes: number;
  /** Those that an unfinished comparison goes on with. */
  readonly kept: number;
  readonly keptBytes: number;
}

/** The task as a comparison takes it. */
export function comparisonTaskOf(task: EvalTask): ComparisonTask {
  const { id, prompt, start, check, hidden, answer, falseAnswer, state, note } = task;
  return {
    name: id.slice(0, 200),
    text: prompt,
    ...(start === undefined ? {} : { start }),
    ...(check === null ? {} : { check }),
    ...(hidden === null ? {} : { hidden }),
    ...(answer === undefined ? {} : { answer }),
    ...(falseAnswer === undefined ? {} : { falseAnswer }),
    ...(state === undefined ? {} : { state }),
    ...(note === undefined ? {} : { note: note.slice(0, 2000) }),
  };
}
