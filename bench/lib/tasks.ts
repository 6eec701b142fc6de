import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

/** The fields of every kind of task. Planted tasks add the source of their package and its faults. */
const taskSchema = z.looseObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)+$/),
  kind: z.enum(['small', 'two-file', 'planted', 'question']),
  shape: z.enum(['bug', 'feature', 'change']),
  language: z.enum(['python', 'javascript']),
  /** What a user types. */
  prompt: z.string().trim().min(20).max(500),
  /** Runs the project's visible tests. Null if it has none. */
  testCommand: z.string().min(1).nullable(),
  /** Judges the work after `hidden/` was copied over the project. Null for a question, which `answer.json` judges. */
  checkCommand: z.string().min(1).nullable(),
  split: z.enum(['dev', 'held']),
  /**
   * The day on which the task was added. Such a task is for development, takes no part in the draw and does not change
   * the halves.
   */
  added: z.iso.date().optional(),
  /** The id of the task whose `project/` this one uses, for two questions about one project. */
  projectFrom: z.string().optional(),
});

const pattern = z.string().refine(isPattern, 'must be a regular expression');

/** How the answer to a question is judged. The patterns ignore case. */
const answerSchema = z.strictObject({
  mustMatch: z.array(pattern).min(1),
  /** File paths of the project. An answer must name at least one of them. */
  mustCite: z.array(z.string().min(1)).min(1),
  mustNotMatch: z.array(pattern),
  /** A correct answer, which proves that the patterns can be met. */
  reference: z.string().min(20),
});

export type TaskFile = z.infer<typeof taskSchema>;
export type Answer = z.infer<typeof answerSchema>;

export type Task = TaskFile & {
  readonly folder: string;
  /** Copied to make the workspace. A planted task needs more than this folder, and may not have it. */
  readonly projectFolder: string;
  /** Copied over the workspace before `checkCommand`. A question has none. */
  readonly hiddenFolder: string;
  /** Set for a question, null for everything else. */
  readonly answer: Answer | null;
};

/** Throws with the reason if a file of the task is missing or malformed. */
export async function readTask(folder: string): Promise<Task> {
  const file = taskSchema.parse(await readJson(join(folder, 'task.json')));
  const answer = file.kind === 'question' ? answerSchema.parse(await readJson(join(folder, 'answer.json'))) : null;
  const home = file.projectFrom === undefined ? folder : join(folder, '..', file.projectFrom);
  return { ...file, folder, projectFolder: join(home, 'project'), hiddenFolder: join(folder, 'hidden'), answer };
}

/** Every task below `root`, by id. */
export async function loadTasks(root: string): Promise<readonly Task[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name));
  const tasks = await Promise.all(folders.map(readTask));
  return tasks.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * The split that each task must have, by id. Within a kind and language, tasks are ordered by a hash of their id and go
 * to development and measurement in turn. Nobody picks the measured tasks, and both halves have as many of each sort.
 * Tasks that were added later for development take no part, so the measured tasks stay the same.
 */
export function drawSplits(
  tasks: readonly Pick<TaskFile, 'id' | 'kind' | 'language' | 'added'>[],
): ReadonlyMap<string, TaskFile['split']> {
  const groups = new Map<string, string[]>();
  const splits = new Map<string, TaskFile['split']>();
  for (const { id, kind, language, added } of tasks) {
    if (added !== undefined) {
      splits.set(id, 'dev');
      continue;
    }
    const group = `${kind} ${language}`;
    groups.set(group, [...(groups.get(group) ?? []), id]);
  }
  for (const ids of groups.values()) {
    const drawn = ids.map((id) => ({ id, order: drawOrder(id) })).sort((a, b) => (a.order < b.order ? -1 : 1));
    drawn.forEach(({ id }, index) => splits.set(id, index % 2 === 0 ? 'dev' : 'held'));
  }
  return splits;
}

export type AnswerGrade = {
  readonly isRight: boolean;
  /** Required patterns that the text lacks. */
  readonly missing: readonly string[];
  /** Forbidden patterns that the text contains. */
  readonly wrong: readonly string[];
  readonly isCited: boolean;
};

/** Judges the text of an answer to a question. */
export function gradeAnswer(answer: Answer, text: string): AnswerGrade {
  const occurs = (source: string): boolean => new RegExp(source, 'iu').test(text);
  const missing = answer.mustMatch.filter((source) => !occurs(source));
  const wrong = answer.mustNotMatch.filter(occurs);
  const isCited = answer.mustCite.some((path) => text.replaceAll('\\', '/').includes(path));
  return { isRight: missing.length === 0 && wrong.length === 0 && isCited, missing, wrong, isCited };
}

/** Puts tasks into an order that nobody chose. */
export function drawOrder(id: string): string {
  return createHash('sha256').update(`dewpoint-split-1:${id}`).digest('hex');
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'iu');
    return true;
  } catch {
    return false;
  }
}
