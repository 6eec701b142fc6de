import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { describeSwitches, type TaskOptions } from './task-options.ts';

/** What came of one task with one model and strategy: a line of the results file. */
const recordSchema = z.object({
  /** Equal for runs that a resumed benchmark need not do again. */
  key: z.string(),
  task: z.string(),
  kind: z.enum(['small', 'two-file', 'planted', 'question']),
  split: z.enum(['dev', 'held']),
  model: z.string(),
  strategy: z.enum(['recipe', 'loop']),
  seed: z.number(),
  /** Switches that differ from what users get. */
  switches: z.string(),
  at: z.string(),
  commit: z.string(),
  /** The hidden tests pass, or the answer is right. */
  solved: z.boolean(),
  /** The shown tests pass on the workspace as it was left; null when there are none. */
  visible: z.boolean().nullable(),
  /** Dewpoint says that the task is done; never for a question, whose answer is not a change. */
  accepted: z.boolean(),
  confidence: z.string().nullable(),
  status: z.string(),
  reason: z.string(),
  /** What was said at the end, cut. */
  text: z.string(),
  steps: z.number(),
  actions: z.number(),
  seconds: z.number(),
  tokens: z.object({
    freshInput: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    output: z.number(),
  }),
  changed: z.array(z.string()),
  /** Guarded files that were changed. */
  guarded: z.array(z.string()),
  /** Tests that passed before and fail now, or files changed although it gave up. */
  worse: z.array(z.string()),
  recipe: z.string().nullable(),
  /** Which part of the recipe found it; null where there is nothing found or the log does not say. */
  arm: z.string().nullable(),
  /** Where the faulty place stands among the suspects, 1 the first; null: it is none of them. Older lines lack it. */
  rank: z.number().nullable().optional(),
  /** Why the task could not be tried or judged; such a record is tried again by a resumed run. */
  fault: z.string().nullable(),
});
export type TaskRecord = z.infer<typeof recordSchema>;

/** An accepted change that the hidden tests refuse. */
export function isFalseAccept(record: TaskRecord): boolean {
  return record.accepted && !record.solved;
}

/** The same for the same work: a task, a model, a strategy, and everything that may change how it goes. */
export function keyOf(
  { task, model, strategy }: Pick<TaskRecord, 'task' | 'model' | 'strategy'>,
  options: Pick<TaskOptions, 'seed' | 'recipe' | 'passCheck' | 'maxMinutes' | 'drive' | 'replies'>,
): string {
  const conditions = [`seed ${options.seed}`, `${options.maxMinutes} minutes`, describeSwitches(options)];
  return [task, model, strategy, ...conditions].filter((part) => part !== '').join(', ');
}

/** A results file: one JSON object a line, appended as soon as a task has ended, so that a killed run loses one task. */
export interface Results {
  /** By key; the last of equal keys. Records with a fault are left out: they are tried again. */
  readonly done: ReadonlyMap<string, TaskRecord>;
  append(record: TaskRecord): Promise<void>;
}

/** Opens a file that may not exist. A torn last line is cut off; another damaged line throws, with its number. */
export async function openResults(path: string): Promise<Results> {
  await mkdir(dirname(path), { recursive: true });
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) await truncate(path, end);
  const done = new Map<string, TaskRecord>();
  for (const [index, line] of bytes.subarray(0, end).toString('utf8').split('\n').entries()) {
    if (line === '') continue;
    const record = parseLine(line, `${path}:${index + 1}`);
    if (record.fault === null) done.set(record.key, record);
    else done.delete(record.key);
  }
  return {
    done,
    async append(record) {
      await appendFile(path, `${JSON.stringify(record)}\n`);
      if (record.fault === null) done.set(record.key, record);
    },
  };
}

function parseLine(line: string, place: string): TaskRecord {
  try {
    return recordSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`${place} is no result of a task; give another file to --resume.`, { cause });
  }
}
