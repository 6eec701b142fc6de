import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { knownAnswerSchema } from '@shared/calibration/known-answer.ts';
import type { EvalTask, EvalTasks } from '@shared/comparisons/eval-tasks.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import { falseAnswerSchema, falseAnswerText } from '@shared/sandbox/false-answer.ts';
import { readFileBelow } from '../../../lib/files/host-folder.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { isKeptTask, readKept } from './kept-tasks.ts';
import { readStub } from './stub-task.ts';
import { readRecords } from './task-records.ts';
import type { ReadTask, TaskReading } from './task-files.ts';

const taskSchema = z.object({
  id: z.string().regex(/^[a-z0-9][\w.-]{0,99}$/iu),
  kind: z.string().max(100).default('own'),
  prompt: z.string().min(1),
  testCommand: z.string().min(1).nullable().default(null),
  checkCommand: z.string().min(1).optional(),
  answer: knownAnswerSchema.optional(),
  falseAnswer: falseAnswerSchema.optional(),
});

/**
 * Reads tasks: a file of records in SWE-bench's form (`.jsonl`), a folder of exercises in the polyglot form, a folder of
 * own tasks, capsules, or texts. Rejects with `bad-input` if there is none.
 */
export async function readTasks(path: string, reading: TaskReading): Promise<EvalTasks> {
  if (!isAbsolute(path)) throw new AppError('bad-input', 'Give the whole path, from the root on.');
  const found = await stat(path).catch(() => null);
  if (found === null) throw new AppError('not-found', `${path} was not found.`);
  const form = await formOf(path, found.isFile());
  const all = withOwnIds(await readAs(form, path, reading));
  const read = all.flatMap((one) => ('why' in one ? [] : [one]));
  const tasks: EvalTask[] = [];
  const skipped = all.flatMap((one) => ('why' in one ? [one] : []));
  for (const one of read) {
    try {
      const state = await stateOf(one, reading.signal);
      tasks.push(state === null ? one : { ...one, state });
    } catch (error) {
      reading.signal.throwIfAborted();
      skipped.push({ id: one.id, why: messageOf(error) });
    }
  }
  if (tasks.length > 0) return { form, tasks, skipped };
  const why =
    skipped[0] === undefined
      ? 'nothing in it has the form of a task'
      : `${skipped[0].id}: ${skipped[0].why.replace(/\.$/u, '')}`;
  throw new AppError('bad-input', `${path} holds no task that can be run: ${why}.`, {
    hint: 'A task is a capsule, a .md or .txt file, a folder with task.json and project/, an exercise with .meta/config.json, or a line of a .jsonl file.',
  });
}

/** Reports tell tasks apart by their names, and exercises of two languages may have the same. The first keeps it. */
function withOwnIds(all: readonly ReadTask[]): readonly ReadTask[] {
  const taken = new Set<string>();
  return all.map((one) => {
    if ('why' in one) return one;
    let id = one.id;
    for (let count = 2; taken.has(id); count += 1) id = `${one.id} (${count})`;
    taken.add(id);
    return id === one.id ? one : { ...one, id };
  });
}

async function formOf(path: string, isFile: boolean): Promise<EvalTasks['form']> {
  if (isFile) return isKeptTask(path) ? 'kept' : 'swe-bench';
  if (await hasFile(path, 'task.json')) return 'own';
  return (await exercisesIn(path)).length > 0 ? 'polyglot' : 'kept';
}

async function readAs(form: EvalTasks['form'], path: string, reading: TaskReading): Promise<readonly ReadTask[]> {
  if (form === 'swe-bench') return readRecords(path, reading);
  if (form === 'kept') return readKept(path, reading, null);
  return [...(await readFolder(path, form, reading)), ...(await readKept(path, reading, 'capsules'))];
}

const mostTasks = 5000;
const mostTaskBytes = 16 * 1024 * 1024;

/** A hash over the files of a task, without packages and history. Null: it brings none. */
async function stateOf({ projectPath, start, hidden }: EvalTask, signal: AbortSignal): Promise<string | null> {
  const own = start?.projectPath ?? projectPath;
  if (own === null) return null;
  const hash = createHash('sha256');
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      signal.throwIfAborted();
      const place = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') await visit(place);
      if (entry.isFile()) hash.update(JSON.stringify([place, sha256Of(await readFile(place))]));
    }
  };
  for (const folder of [own, hidden?.projectPath]) if (folder !== undefined) await visit(folder);
  return hash.digest('hex');
}

async function hasFile(folder: string, name: string): Promise<boolean> {
  for (const entry of await foldersIn(folder)) if (await isFile(join(folder, entry, name))) return true;
  return false;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  return names.sort().slice(0, mostTasks);
}

/** A link is none: it could lead to any file of this machine. */
async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isFile() === true;
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

async function readFolder(path: string, form: 'own' | 'polyglot', reading: TaskReading): Promise<readonly ReadTask[]> {
  const all: ReadTask[] = [];
  const folders = form === 'own' ? (await foldersIn(path)).map((name) => join(path, name)) : await exercisesIn(path);
  for (const folder of folders) {
    reading.signal.throwIfAborted();
    const id = basename(folder);
    const read = form === 'own' ? readOwn(folder, reading) : readStub(folder, reading);
    all.push(await read.catch((error: unknown) => ({ id, why: messageOf(error) })));
  }
  return all;
}

/** A task is `task.json`, `project/`, and what judges it: `hidden/` with a command, or the known answer. */
async function readOwn(folder: string, { experiments }: TaskReading): Promise<ReadTask> {
  const id = basename(folder);
  const told = await readFileBelow(folder, ['task.json'], mostTaskBytes);
  if (told === null) return { id, why: 'it has no task.json that can be read' };
  const parsed = taskSchema.safeParse(JSON.parse(told.toString('utf8')));
  if (!parsed.success) return { id, why: `its task.json is wrong: ${parsed.error.issues[0]?.message ?? ''}` };
  const { kind, prompt, testCommand, checkCommand, answer, falseAnswer } = parsed.data;
  const projectPath = join(folder, 'project');
  if (!(await isFolder(projectPath))) return { id, why: 'it has no folder named project, or it is a link' };
  if (falseAnswer !== undefined && answer === undefined)
    return { id, why: 'a command of it answers falsely, so only a known answer can judge it' };
  if (falseAnswer !== undefined && !experiments)
    return {
      id,
      why: `it is an experiment: commands with "${falseAnswer.command}" answer falsely in it. To try it: dewpoint eval FOLDER --experiments`,
    };
  if (answer !== undefined) {
    const told = falseAnswer === undefined ? {} : { falseAnswer, note: falseAnswerText(falseAnswer) };
    return { id: parsed.data.id, kind, prompt, projectPath, check: null, hidden: null, answer, ...told };
  }
  const command = checkCommand ?? testCommand;
  if (command === null) return { id, why: 'it has no command that judges it' };
  const tests = join(folder, 'hidden');
  const hidden = { command, ...((await isFolder(tests)) ? { projectPath: tests } : {}) };
  return { id: parsed.data.id, kind, prompt, projectPath, check: testCommand, hidden };
}

/** Exercises lie beside each other, or below `LANGUAGE/exercises/practice`. */
async function exercisesIn(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (await isFile(join(folder, '.meta', 'config.json'))) found.push(folder);
    else if (depth < 5) for (const name of await foldersIn(folder)) await visit(join(folder, name), depth + 1);
  };
  await visit(path, 0);
  return found.slice(0, mostTasks);
}
