import { z } from 'zod';
import { knownAnswerSchema } from './known-answer.ts';
import { taskKinds, taskSizes } from './task-kinds.ts';

/** What a calibration is asked to find out: how much the models of this machine solve in a repository. */
export const calibrationInputSchema = z.object({
  projectPath: z.string().min(1),
  /** Local models, PROVIDER/MODEL. Empty: the one of the settings. */
  locals: z.array(z.string().min(1)).max(8).default([]),
  /** A chosen few tasks run on this cloud model, too. Needs `maxUsd`. */
  cloud: z.string().min(1).optional(),
  maxUsd: z.number().nonnegative().optional(),
  /** How many tasks are made at most. */
  tasks: z.number().int().min(1).max(200).default(24),
  /** The time for everything, in minutes. What is left then can be resumed. Absent: no end. */
  maxMinutes: z.number().positive().max(10_080).optional(),
  /** A task that takes longer counts as not solved. */
  taskMinutes: z.number().positive().max(240).default(10),
  /** Makes the tasks and stops, without asking a model. */
  onlyTasks: z.boolean().default(false),
  seed: z.number().int().min(0).default(1),
});
export type CalibrationInput = z.infer<typeof calibrationInputSchema>;

/** When it works. Absent: at once. */
export const calibrationTimeSchema = z.object({
  /** Each task and each run waits until nothing else is done on this machine. */
  idle: z.boolean().default(false),
  /** It begins when the clock of this machine shows this the next time, as HH:MM. */
  at: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, 'it is a time such as 23:00')
    .optional(),
});
export type CalibrationTime = Readonly<z.infer<typeof calibrationTimeSchema>>;

/** A file of the project with its text. Null: it does not exist. */
const fileSchema = z.object({ path: z.string(), text: z.string().nullable() });
export type TaskFile = z.infer<typeof fileSchema>;

const calibrationTaskSchema = z.object({
  id: z.string(),
  kind: z.enum(taskKinds),
  size: z.enum(taskSizes),
  language: z.string(),
  /** For lists. A model never sees it, because it may say the answer. */
  title: z.string(),
  request: z.string(),
  /** The command that decides. Null for a question, which `answer` decides. */
  check: z.string().nullable(),
  /** The work begins with the files of this commit. Null: with those of the project as it was copied. */
  commit: z.string().nullable(),
  /** Written over these files before the work: a planted fault, or the tests of a commit. */
  files: z.array(fileSchema),
  /** The true change. */
  solution: z.array(fileSchema),
  /** A run that changes one of these, or any other test that is there, has not solved the task. */
  tests: z.array(z.string()),
  answer: knownAnswerSchema.nullable(),
  /** How often the check failed before the true change and passed after it. */
  verified: z.object({ failedBefore: z.number(), passedAfter: z.number() }),
});
export type CalibrationTask = z.infer<typeof calibrationTaskSchema>;

/** One task on one model. An unknown figure is null, never 0. */
const runSchema = z.object({
  taskId: z.string(),
  model: z.string(),
  where: z.enum(['local', 'cloud']),
  state: z.enum(['waiting', 'running', 'ended', 'skipped']),
  /** Holds the run while it works, so that it is found again after a crash. */
  comparisonId: z.string().nullable(),
  sessionId: z.string().nullable(),
  /** Null: it could not be judged. */
  solved: z.boolean().nullable(),
  why: z.string().nullable(),
  seconds: z.number().nullable(),
  costUsd: z.number().nullable(),
  energyWh: z.number().nullable(),
});
export type CalibrationRun = z.infer<typeof runSchema>;

export const calibrationSchema = z.object({
  id: z.string(),
  createdAt: z.number(),
  input: calibrationInputSchema,
  /** `waiting`: for its time, or for an idle machine. `stopped`: it can be resumed. */
  state: z.enum(['waiting', 'making', 'working', 'stopped', 'ended']),
  /** Why it waits or stopped, as a sentence. */
  why: z.string().nullable(),
  /** What was found out about the project. Null: not yet. */
  project: z
    .object({
      testCommand: z.string().nullable(),
      suiteSeconds: z.number().nullable(),
      /** What cannot be known, as sentences. */
      notes: z.array(z.string()),
    })
    .nullable(),
  tasks: z.array(calibrationTaskSchema),
  /** How many candidates were tried, of each kind, so that a resumed start goes on behind them. */
  tried: z.object({ commit: z.number(), fault: z.number(), question: z.number() }),
  /** Why candidates were left out, and how many. */
  dropped: z.record(z.string(), z.number()),
  runs: z.array(runSchema),
  /** Working time so far, in seconds. */
  workedSeconds: z.number(),
  /** The folder in which each task is kept as a capsule, and why some are not, as sentences. Null: none is kept. */
  kept: z
    .object({ folder: z.string(), tasks: z.array(z.string()), notes: z.array(z.string()) })
    .nullable()
    .default(null),
});
export type Calibration = z.infer<typeof calibrationSchema>;

/** What of a calibration a host shows. The texts of tasks stay in the core. */
export interface CalibrationView extends Omit<Calibration, 'tasks'> {
  readonly tasks: readonly Pick<
    CalibrationTask,
    'id' | 'kind' | 'size' | 'language' | 'title' | 'request' | 'check' | 'verified'
  >[];
}
