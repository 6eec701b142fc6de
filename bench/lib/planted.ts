import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { z } from 'zod';
import { filesBelow } from './files-below.ts';

// A path inside the project: relative, with forward slashes, never upwards.
const projectPath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must stay inside the project');

/** The published archive that a planted task starts from. `sha256` pins its bytes. */
const sourceSchema = z.strictObject({
  ecosystem: z.enum(['pypi', 'npm']),
  package: z.string().regex(/^[a-z0-9@/._-]+$/i),
  version: z.string().regex(/^[0-9][a-z0-9.+-]*$/i),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** `find` must occur exactly once in `file` of the unpacked package. Faults are applied in order. */
const faultSchema = z.strictObject({ file: projectPath, find: z.string().min(1), replace: z.string() });

export const plantedTaskSchema = z.strictObject({
  id: z.string().regex(/^planted-[a-z0-9-]+$/),
  kind: z.literal('planted'),
  shape: z.literal('bug'),
  language: z.enum(['python', 'javascript']),
  prompt: z.string().min(1),
  testCommand: z.string().min(1),
  checkCommand: z.string().min(1),
  split: z.enum(['dev', 'held']),
  source: sourceSchema,
  /** A file (`LICENSE`) or everything below a folder (`src/**`). Absent: the whole archive. */
  keep: z.array(projectPath).optional(),
  /** Files or folders that are removed again, such as tests that need something the sandbox does not have. */
  remove: z.array(projectPath).optional(),
  faults: z.array(faultSchema).min(1),
});

export type PlantedTask = z.infer<typeof plantedTaskSchema> & {
  /** The task's own folder, with `task.json`, `hidden/` and optionally `project/`. */
  readonly folder: string;
};

/** What is needed to fetch a package. */
export type FetchedTask = Pick<PlantedTask, 'id' | 'source'> & Partial<Pick<PlantedTask, 'keep' | 'remove'>>;

export type Materials = {
  /** Where archives and unpacked packages are kept between runs. */
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
};

/** Throws with the reason if `task.json` is missing or malformed. */
export async function readPlantedTask(folder: string): Promise<PlantedTask> {
  const task = plantedTaskSchema.parse(JSON.parse(await readFile(join(folder, 'task.json'), 'utf8')));
  return { ...task, folder };
}

/** Every planted task below `tasksFolder`, by id. */
export async function listPlantedTasks(tasksFolder: string): Promise<readonly PlantedTask[]> {
  const names = (await readdir(tasksFolder)).filter((name) => name.startsWith('planted-'));
  const tasks = await Promise.all(names.map((name) => readPlantedTask(join(tasksFolder, name))));
  return tasks.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * A cached folder with the published package: unpacked, reduced to `keep` without `remove`, and without faults. Callers
 * must not write to it. Downloaded once by pip or npm, and checked against `sha256` before anything is unpacked. Throws
 * with what to do next.
 */
export async function fetchPlanted(task: FetchedTask, cacheFolder: string, signal: AbortSignal): Promise<string> {
  const selection = JSON.stringify([task.source, task.keep ?? null, task.remove ?? null]);
  const key = createHash('sha256').update(selection).digest('hex').slice(0, 16);
  const target = join(cacheFolder, 'packages', `${archiveBase(task)}-${key}`);
  if (await exists(target)) return target;

  const archive = await fetchArchive(task, cacheFolder, signal);
  const unpacked = join(cacheFolder, `unpacking-${randomUUID()}`);
  try {
    await mkdir(unpacked, { recursive: true });
    await run('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1'], signal);
    await prune(unpacked, task);
    await mkdir(dirname(target), { recursive: true });
    await moveUnlessThere(unpacked, target);
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
  return target;
}

/**
 * Fills `targetFolder` with the project of the task: the package, the overlay of `project/` and, if `isPlanted`, the
 * faults. Without faults it is the solution. The folder should be empty, and is created if it is missing.
 */
export async function materialise(
  task: PlantedTask,
  targetFolder: string,
  { isPlanted, cacheFolder, signal }: Materials & { readonly isPlanted: boolean },
): Promise<void> {
  await mkdir(targetFolder, { recursive: true });
  await cp(await fetchPlanted(task, cacheFolder, signal), targetFolder, { recursive: true });
  await copyIfThere(join(task.folder, 'project'), targetFolder);
  if (isPlanted) await plantFaults(task, targetFolder);
}

/**
 * Prepares a project for `checkCommand` after the work. Restores its original tests and settings, whatever was done to
 * them, and adds `hidden/`.
 */
export async function layHidden(
  task: PlantedTask,
  targetFolder: string,
  { cacheFolder, signal }: Materials,
): Promise<void> {
  const pristine = await fetchPlanted(task, cacheFolder, signal);
  for (const path of await filesBelow(pristine)) {
    if (isTestPath(path)) await cp(join(pristine, path), join(targetFolder, path), { force: true });
  }
  await copyIfThere(join(task.folder, 'project'), targetFolder);
  await copyIfThere(join(task.folder, 'hidden'), targetFolder);
}

/** Applies the faults to an unpacked package. Throws if a `find` does not occur exactly once. */
export async function plantFaults(task: Pick<PlantedTask, 'id' | 'faults'>, folder: string): Promise<void> {
  for (const fault of task.faults) {
    const path = join(folder, fault.file);
    const text = await readFile(path, 'utf8');
    const parts = text.split(fault.find);
    if (parts.length !== 2) {
      throw new Error(`${task.id}: the fault's text occurs ${parts.length - 1} times in ${fault.file}, not once`);
    }
    await writeFile(path, parts.join(fault.replace));
  }
}

export function isKept(path: string, keep: readonly string[] | undefined, remove: readonly string[] = []): boolean {
  const isRemoved = remove.some((entry) => path === entry || path.startsWith(`${entry}/`));
  if (isRemoved || keep === undefined) return !isRemoved;
  return keep.some((entry) => (entry.endsWith('/**') ? path.startsWith(entry.slice(0, -2)) : path === entry));
}

function isTestPath(path: string): boolean {
  return path.split('/').some((part) => part === 'test' || part === 'tests');
}

function archiveBase({ source }: FetchedTask): string {
  return `${source.package.replace(/[@/]/g, '_')}-${source.version}`;
}

async function fetchArchive(task: FetchedTask, cacheFolder: string, signal: AbortSignal): Promise<string> {
  const { ecosystem, sha256 } = task.source;
  const archive = join(cacheFolder, 'archives', `${archiveBase(task)}-${sha256.slice(0, 16)}.tgz`);
  if (await exists(archive)) return archive;

  const folder = join(cacheFolder, `fetching-${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await (ecosystem === 'pypi' ? fetchFromPip : fetchFromNpm)(task, folder, signal);
    const name = (await readdir(folder)).find((entry) => entry.endsWith('.tar.gz') || entry.endsWith('.tgz'));
    if (name === undefined) throw new Error(`${task.id}: no source archive came for ${describe(task)}`);
    const actual = await sha256Of(join(folder, name));
    if (actual !== sha256) {
      throw new Error(`${task.id}: ${describe(task)} has SHA-256 ${actual}, expected ${sha256}; it was not unpacked`);
    }
    await mkdir(dirname(archive), { recursive: true });
    await rename(join(folder, name), archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return archive;
}

// With a hash in the requirements, pip refuses other bytes before it runs the package's build code.
async function fetchFromPip(task: FetchedTask, folder: string, signal: AbortSignal): Promise<void> {
  const { source } = task;
  const requirements = join(folder, 'requirements.txt');
  await writeFile(requirements, `${source.package}==${source.version} --hash=sha256:${source.sha256}\n`);
  const wanted = ['--no-deps', '--no-binary', ':all:', '--require-hashes', '-r', requirements, '-d', folder];
  await runFetch(task, 'python3', ['-m', 'pip', 'download', '--disable-pip-version-check', '-q', ...wanted], signal);
}

async function fetchFromNpm(task: FetchedTask, folder: string, signal: AbortSignal): Promise<void> {
  const name = `${task.source.package}@${task.source.version}`;
  await runFetch(task, 'npm', ['pack', name, '--silent', '--ignore-scripts', '--pack-destination', folder], signal);
}

async function runFetch(
  task: FetchedTask,
  command: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  try {
    await run(command, args, signal);
  } catch (cause) {
    if (signal.aborted) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `${task.id}: could not fetch ${describe(task)}. It needs ${command === 'npm' ? 'npm' : 'Python 3 with pip'} and the network once; then it stays in the cache.\n${reason}`,
      { cause },
    );
  }
}

function describe({ source }: FetchedTask): string {
  return `${source.ecosystem} package ${source.package} ${source.version}`;
}

/** Rejects with the end of the error output if the program fails. Kills the program on abort. */
async function run(command: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], signal });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-2000)));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ended with ${code ?? 'a signal'}: ${errors.trim()}`));
    });
  });
}

async function prune(folder: string, task: FetchedTask): Promise<void> {
  for (const path of await filesBelow(folder)) {
    if (!isKept(path, task.keep, task.remove)) await rm(join(folder, path));
  }
  await removeEmptyFolders(folder);
}

async function removeEmptyFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    await removeEmptyFolders(path);
    if ((await readdir(path)).length === 0) await rm(path, { recursive: true });
  }
}

// Two tasks of one package may unpack it at the same time. The second one drops its copy.
async function moveUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(await exists(to))) throw error;
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  if (await exists(from)) await cp(from, to, { recursive: true, force: true });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
