import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import { loadGit } from '../../../git/load-git.ts';
import { withRepository, type Repository } from '../../../git/repository.ts';
import { readFileBelow } from '../../../lib/files/host-folder.ts';
import { createSafeFolder } from '../../changes/safe-folder.ts';
import { commandForNames } from './named-tests.ts';
import { placeOfTask, type ReadTask, type TaskReading } from './task-files.ts';

const recordSchema = z.object({
  /** Also the name of a folder, so it cannot be one that leads elsewhere. */
  instance_id: z.string().regex(/^\w[\w.-]{0,199}$/u),
  repo: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/u),
  base_commit: z.string().regex(/^[0-9a-f]{7,64}$/u),
  problem_statement: z.string().min(1),
  test_patch: z.string(),
  FAIL_TO_PASS: z.union([z.string(), z.array(z.string())]),
  PASS_TO_PASS: z.union([z.string(), z.array(z.string())]),
  /** The command that runs named tests; absent: pytest. */
  test_command: z.string().optional(),
});
type SweRecord = z.infer<typeof recordSchema>;

const mostBytes = 512 * 1024 * 1024;
const mostFileBytes = 64 * 1024 * 1024;
/** The most that systems take as one argument is 128 KiB. */
const longestCommand = 120_000;

/**
 * Records in SWE-bench's form, one a line. Below `repos`, the project of one is the folder `INSTANCE_ID` (an unpacked
 * archive of its base commit), or it is taken at that commit from the clone or mirror `OWNER__NAME`. Nothing is
 * downloaded.
 */
export async function readRecords(path: string, reading: TaskReading): Promise<readonly ReadTask[]> {
  if ((await stat(path)).size > mostBytes) return [{ id: path, why: 'the file is larger than 512 MB' }];
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const all: ReadTask[] = [];
  // The files of a record are made in a place of its name.
  const known = new Set<string>();
  for (const [index, line] of lines.entries()) {
    reading.signal.throwIfAborted();
    const record = recordOf(line);
    const id = record?.instance_id ?? `line ${index + 1}`;
    const isAgain = record !== null && known.has(id);
    known.add(id);
    const task =
      record === null
        ? { id, why: 'it is no record' }
        : isAgain
          ? { id, why: 'it is in the file once more, and the first one counts' }
          : readRecord(path, record, reading);
    all.push(await Promise.resolve(task).catch((error: unknown) => ({ id, why: messageOf(error) })));
  }
  return all;
}

function recordOf(line: string): SweRecord | null {
  try {
    return recordSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // A line that is no JSON.
    return null;
  }
}

async function readRecord(source: string, record: SweRecord, reading: TaskReading): Promise<ReadTask> {
  const { instance_id: id, problem_statement: prompt, test_patch: patch, test_command: given } = record;
  if (reading.repos === null) return { id, why: 'nobody said where its repository is: --repos DIR' };
  const place = placeOfTask(reading, source, id);
  await rm(place, { recursive: true, force: true });
  const unpacked = join(reading.repos, id);
  const isUnpacked = (await stat(unpacked).catch(() => null))?.isDirectory() === true;
  const projectPath = join(place, 'project');
  if (isUnpacked) await copyWithoutHistory(unpacked, projectPath);
  else await checkOut(await cloneOf(reading.repos, record), record, { projectPath, reading });
  const hidden = join(place, 'hidden');
  await layTests(patch, { projectPath, hidden });
  const tests = {
    runner: given ?? 'python3 -m pytest -q',
    asked: [...listOf(record.FAIL_TO_PASS)],
    kept: [...listOf(record.PASS_TO_PASS)],
  };
  const names = [...tests.asked, ...tests.kept];
  if (names.length === 0) return { id, why: 'it names no test' };
  const command = commandForNames(tests.runner, names);
  if (command.length > longestCommand) return { id, why: 'it names more tests than one command can hold' };
  return { id, kind: record.repo, prompt, projectPath, check: null, hidden: { command, projectPath: hidden, tests } };
}

/** The history may hold the change that a record asks for, so no agent gets it. */
async function copyWithoutHistory(from: string, to: string): Promise<void> {
  const filter = (path: string): boolean => basename(path) !== '.git';
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter });
}

/** A list, or the text of one, as the data sets have it. */
function listOf(value: string | readonly string[]): readonly string[] {
  return z.array(z.string()).parse(typeof value === 'string' ? JSON.parse(value) : value);
}

/** A mirror often has the name `OWNER__NAME.git`. */
async function cloneOf(repos: string, { repo }: SweRecord): Promise<string> {
  const clone = join(repos, repo.replace('/', '__'));
  const isThere = (await stat(clone).catch(() => null)) !== null;
  const mirror = `${clone}.git`;
  return !isThere && (await stat(mirror).catch(() => null)) !== null ? mirror : clone;
}

interface Target {
  readonly projectPath: string;
  readonly reading: TaskReading;
}

/** Writes the files of a commit, without its links. No program of git runs, and nothing in the repository has an effect. */
async function checkOut(
  clone: string,
  { base_commit: ref }: SweRecord,
  { projectPath, reading }: Target,
): Promise<void> {
  await mkdir(projectPath, { recursive: true });
  const folder = createSafeFolder(projectPath);
  const write = async ({ git: access }: Repository): Promise<void> => {
    const git = await loadGit();
    const oid = ref.length === 40 ? ref : await git.expandOid({ ...access, oid: ref });
    await git.walk({
      ...access,
      trees: [git.TREE({ ref: oid })],
      map: async (path, [entry]) => {
        reading.signal.throwIfAborted();
        if (entry === null || entry === undefined || path === '.' || (await entry.type()) !== 'blob') return path;
        const mode = await entry.mode();
        const bytes = await entry.content();
        if (mode === 0o120000 || bytes === undefined || bytes.length > mostFileBytes) return path;
        const file = { bytes, mode: mode === 0o100755 ? 0o755 : 0o644 };
        await folder.write(path, file, (now) => now.type === 'missing');
        return path;
      },
    });
  };
  await withRepository(clone, { signal: reading.signal, longestMs: 600_000, mayBeBare: true }, write);
}

/** The files of the tests as they are after the patch of the record. */
async function layTests(
  patch: string,
  { projectPath, hidden }: { readonly projectPath: string; readonly hidden: string },
): Promise<void> {
  await mkdir(hidden, { recursive: true, mode: 0o700 });
  for (const one of parsePatch(patch)) {
    const path = (one.newFileName ?? '').replace(/^b\//u, '');
    if (path === '' || path === '/dev/null') continue;
    const old = (one.oldFileName ?? '').replace(/^a\//u, '');
    const before = await readFileBelow(projectPath, (old === '/dev/null' ? path : old).split('/'), mostFileBytes);
    const after = applyPatch(before?.toString('utf8') ?? '', one);
    if (after === false) throw new Error(`its test patch does not fit ${path}`);
    const target = join(hidden, ...path.split('/').filter((name) => name !== '..' && name !== ''));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, after);
  }
}
