import { copyFile, lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { messageOf } from '@shared/errors.ts';
import { readDefinition } from '@shared/text/front-matter.ts';
import { readFileBelow } from '../../../lib/files/host-folder.ts';
import { placeOfTask, type ReadTask, type TaskReading } from './task-files.ts';

const capsuleEnding = '.capsule';
const textEndings = ['.md', '.txt'];
const mostTextCharacters = 64 * 1024;
const mostTextBytes = 4 * mostTextCharacters;

/** Whether a file is a task by itself, by the ending of its name. */
export const isKeptTask = (path: string): boolean => [capsuleEnding, ...textEndings].includes(extname(path));

/**
 * Reads the tasks of a folder that are files, or the one that the path names: capsules and texts. A file that is none of
 * them is named. `only`: other files are for somebody else, so nothing is said of them.
 */
export async function readKept(
  path: string,
  reading: TaskReading,
  only: 'capsules' | null,
): Promise<readonly ReadTask[]> {
  // What the caller named may be a link. No other is followed: it could lead to any file of this machine.
  const named = await realpath(path);
  const isFile = (await stat(named)).isFile();
  const names = isFile ? [basename(named)] : await readdir(named);
  const folder = isFile ? dirname(named) : named;
  const all: ReadTask[] = [];
  for (const name of names.filter((one) => !one.startsWith('.')).sort()) {
    reading.signal.throwIfAborted();
    const ending = extname(name);
    if (only === 'capsules' && ending !== capsuleEnding) continue;
    const read =
      ending === capsuleEnding
        ? readCapsuleTask(folder, name, reading)
        : textEndings.includes(ending)
          ? readText(folder, name)
          : Promise.resolve({ id: name, why: 'it is no task: a task is a .capsule, .md or .txt file' });
    all.push(
      await read.catch((error: unknown) => {
        reading.signal.throwIfAborted();
        return { id: name, why: messageOf(error) };
      }),
    );
  }
  return all;
}

/** A text is a task for a project that is named elsewhere. A line `check: COMMAND` at its start is its check. */
async function readText(folder: string, name: string): Promise<ReadTask> {
  const bytes = await readFileBelow(folder, [name], mostTextBytes);
  if (bytes === null) return { id: name, why: 'it is a link, or cannot be read, or is larger than 256 KB' };
  const read = readDefinition<{ check: string }>(bytes.toString('utf8'), mostTextCharacters, (key, value) =>
    key === 'check' && value !== '' ? { check: value } : null,
  );
  if (!read.ok) return { id: name, why: read.why };
  const { text, check = null } = read.value;
  const id = basename(name, extname(name)).slice(0, 200);
  return { id, kind: 'text', prompt: text, projectPath: null, check, hidden: null };
}

/**
 * Unpacks a capsule, always into the same place. The files that judge are laid over the work afterwards, as they are in
 * the capsule. Tasks that a calibration of this machine kept belong to its project.
 */
async function readCapsuleTask(folder: string, name: string, reading: TaskReading): Promise<ReadTask> {
  const file = join(folder, name);
  if (!(await lstat(file)).isFile()) return { id: name, why: 'it is a link, or no file' };
  const id = basename(name, capsuleEnding).slice(0, 200);
  const place = placeOfTask(reading, file, id);
  await rm(place, { recursive: true, force: true });
  const [files, tests] = [join(place, 'project'), join(place, 'hidden')];
  const { task, messages, options, notes, packages } = await reading.unpack({ path: file, folder: files });
  const [prompt = ''] = messages;
  if (prompt.trim() === '') return { id, why: 'it holds no message, so there is no task' };
  for (const path of task?.tests ?? []) {
    await mkdir(dirname(join(tests, path)), { recursive: true, mode: 0o700 });
    await copyFile(join(files, path), join(tests, path));
  }
  const command = task === null ? (options.check ?? null) : task.check;
  const home = await reading.projectOf(file);
  return {
    id,
    kind: task?.kind ?? 'session',
    prompt,
    projectPath: home ?? files,
    ...(home === null ? {} : { start: { projectPath: files, packages: [...packages] } }),
    check: command,
    hidden:
      task === null || command === null
        ? null
        : { command, ...(task.tests.length === 0 ? {} : { projectPath: tests }) },
    ...(task === null || task.answer === null ? {} : { answer: task.answer }),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}
