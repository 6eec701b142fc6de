import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { describeSwitches, type TaskOptions } from './task-options.ts';

/** The result of one task with one model and strategy: one line of the results file. */
const recordSchema = z.object({
  /** Equal for runs that a resumed benchmark need not repeat. */
  key: z.string(),
  task: z.string(),
  kind: z.enum(['small', 'two-file', 'planted', 'question']),
  split: z.enum(['dev', 'held']),
  model: z.string(),
  strategy: z.enum(['recipe', 'loop']),
  seed: z.number(),
  /** Switches that differ from the users' defaults. */
  switches: z.string(),
  at: z.string(),
  commit: z.string(),
  /** The hidden tests pass, or the answer is right. */
  solved: z.boolean(),
  /** The visible tests pass on the final workspace. Null if there are none. */
  visible: z.boolean().nullable(),
  /** Dewpoint says that the task is done. Never true for a question, whose answer is not a change. */
  accepted: z.boolean(),
  confidence: z.string().nullable(),
  status: z.string(),
  reason: z.string(),
  /** The final text, shortened. */
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
  /** Tests that passed before and fail now, or files that changed although it gave up. */
  worse: z.array(z.string()),
  recipe: z.string().nullable(),
  /** Which part of the recipe found the change. Null if nothing was found or the log does not say. */
  arm: z.string().nullable(),
  /** The rank of the faulty place among the suspects, from 1. Null: it is not among them. Missing in older lines. */
  rank: z.number().nullable().optional(),
  /** What the models were asked, in order: the start of each request's hash. Missing where answers were not kept. */
  asked: z.array(z.string()).optional(),
  /** Why the task could not be tried or judged. A resumed run tries such a record again. */
  fault: z.string().nullable(),
});
export type TaskRecord = z.infer<typeof recordSchema>;

/** An accepted change that the hidden tests refuse. */
export function isFalseAccept(record: TaskRecord): boolean {
  return record.accepted && !record.solved;
}

/** The options that may change what a run does. */
type TaskConditions = Pick<
  TaskOptions,
  'seed' | 'recipe' | 'passCheck' | 'maxMinutes' | 'drive' | 'replies' | 'without' | 'image'
>;

/** Equal for the same work: a task, a model, a strategy, and everything that may change the run. */
export function keyOf(
  { task, model, strategy }: Pick<TaskRecord, 'task' | 'model' | 'strategy'>,
  options: TaskConditions,
): string {
  const conditions = [`seed ${options.seed}`, `${options.maxMinutes} minutes`, describeSwitches(options)];
  return [task, model, strategy, ...conditions].filter((part) => part !== '').join(', ');
}

/**
 * A results file with one JSON object a line. Each line is appended when its task ends, so a killed run loses one task.
 */
export interface Results {
  /** By key. The last of equal keys counts. Records with a fault are left out, so they are tried again. */
  readonly done: ReadonlyMap<string, TaskRecord>;
  append(record: TaskRecord): Promise<void>;
}

/**
 * Opens a file that may not exist. An incomplete last line is cut off. Any other damaged line throws, with its number.
 */
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
