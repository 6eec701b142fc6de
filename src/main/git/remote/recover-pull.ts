import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { fileCalls, type FileCalls } from '../../lib/files/file-calls.ts';
import { type HostFolder, isGitName, isGone, openChildFolder } from '../../lib/files/host-folder.ts';
import { isRunning, ownerFrom } from '../../lib/files/lock-owner.ts';
import { type CheckoutWriter, createWriter } from '../clone/write-checkout.ts';
import { currentBranch } from '../load-git.ts';
import type { Repository } from '../repository.ts';
import { openGitFolder } from '../repository-files.ts';
import { removeEmpty } from './place-files.ts';
import {
  commitsFile,
  commitsSchema,
  idOf,
  isSameEntry,
  lockText,
  ownerFile,
  renameToFree,
  stageName,
  type PullPath,
} from './stage-files.ts';

/**
 * Takes back what a pull that was killed had placed, as if it had not begun, and removes what it left. The next pull may
 * go to a later commit, and would take what is of the earlier one for changes of the person. Returns whole sentences.
 */
export async function recoverPull(repository: Repository): Promise<readonly string[]> {
  const { tree } = repository.places;
  const calls = fileCalls(repository.places.calls);
  const own = await openGitFolder(repository.places);
  const notes: string[] = [];
  try {
    const lock = await readFile(own.at('index.lock'), 'utf8').catch(() => '');
    const lockOwner = lock.startsWith(lockText) ? lock.slice(lockText.length).trim() : null;
    for (const name of await readdir(own.place)) {
      const pid = stageName.exec(name)?.[1];
      if (pid === undefined) continue;
      const stage = await openChildFolder(own, name).catch(() => null);
      if (stage === null) continue;
      try {
        const owner = await readFile(stage.at(ownerFile), 'utf8').catch(() => '');
        if (await isAlive(owner, pid)) continue;
        const { commit } = await currentBranch(repository);
        await takeBack(stage, { tree, commit, calls });
        if (lockOwner === owner) await indexBack(stage, { own, commit, calls });
        if (await putBack(stage, tree, calls)) await calls.removeFolder(own.at(name));
        else notes.push(`A pull that was interrupted kept a file in .git/${name}. Look at it, and remove the folder.`);
      } finally {
        await stage.close();
      }
    }
    if (lockOwner !== null && !(await isAlive(lockOwner, lockOwner))) await calls.unlink(own.at('index.lock'));
    return notes;
  } finally {
    await own.close();
  }
}

/** The id alone may be that of another process by now, such as after a restart of the machine. */
const isAlive = (owner: string, pid: string): Promise<boolean> =>
  isRunning(ownerFrom(owner) ?? { pid: Number(pid), startedAt: null, boot: null });

const pathsSchema: z.ZodType<readonly PullPath[]> = z.array(
  z.tuple([z.number().int(), z.string(), z.string().nullable(), z.string().nullable()]),
);

interface Left {
  readonly calls: FileCalls;
  readonly tree: string;
  /** That of the branch now. */
  readonly commit: string | null;
}

/** Removes what the pull put where nothing was, and sets what it replaced back. What was written since stays. */
async function takeBack(stage: HostFolder, { tree, commit, calls }: Left): Promise<void> {
  const commits = await readCommits(stage);
  const paths = (await readPaths(stage)).filter(([, path]) => !path.split('/').some(isGitName));
  if (commits?.to === commit) return removeOld(stage, paths, calls);
  if (commits === null || commits.from !== commit) return;
  const folders = createWriter(tree, { calls });
  const added = new Set(commits.added);
  try {
    const coming = paths.filter(([, , , after]) => after !== null);
    for (const one of coming) await oneBack(stage, { one, isAdded: added.has(one[0]), folders, calls });
    // A folder of its own may stand where a file was.
    const going = new Set(paths.flatMap(([, path, , after]) => (after === null ? [path] : [])));
    const isBelow = (path: string): boolean =>
      path.split('/').some((_, at, names) => at > 0 && going.has(names.slice(0, at).join('/')));
    const below = coming.flatMap(([, path]) => (isBelow(path) ? [{ path }] : []));
    await removeEmpty(below, { folders, undo: [] });
  } finally {
    await folders.close();
  }
}

/** The pull was at its end, so what it set aside is only in older commits. */
async function removeOld(stage: HostFolder, paths: readonly PullPath[], calls: FileCalls): Promise<void> {
  for (const [at, , before] of paths)
    if (before !== null && (await idAt(stage, `old-${at}`, calls)) === before)
      await calls.unlink(stage.at(`old-${at}`));
}

async function oneBack(
  stage: HostFolder,
  {
    one: [at, path, before, after],
    isAdded,
    folders,
    calls,
  }: {
    readonly one: PullPath;
    readonly isAdded: boolean;
    readonly folders: CheckoutWriter;
    readonly calls: FileCalls;
  },
): Promise<void> {
  const [old, fresh] = [stage.at(`old-${at}`), stage.at(`new-${at}`)];
  const isReplaced = before !== null && (await idAt(stage, `old-${at}`, calls)) === before;
  const isPlaced = isAdded && !(await isThere(old, calls));
  if (!isReplaced && !isPlaced) return;
  const found = await folders.parentOf(path).catch(() => null);
  // Something of the person stands in its way.
  if (found === null || (await idAt(found.parent, found.name, calls)) !== after) return;
  const place = found.parent.at(found.name);
  if (isReplaced && !(await isSameEntry(place, old, calls))) await calls.rename(old, place);
  else if (isPlaced && (!(await isThere(fresh, calls)) || (await isSameEntry(place, fresh, calls))))
    await calls.unlink(place);
}

/** Nobody else writes an index that is locked. */
async function indexBack(
  stage: HostFolder,
  { own, commit, calls }: { readonly own: HostFolder } & Pick<Left, 'commit' | 'calls'>,
): Promise<void> {
  const isMoved = (await isThere(stage.at('old-index'), calls)) && !(await isThere(stage.at('index'), calls));
  if (isMoved && (await readCommits(stage))?.from === commit)
    await calls.rename(stage.at('old-index'), own.at('index'));
}

async function readCommits(stage: HostFolder): Promise<z.output<typeof commitsSchema> | null> {
  try {
    return commitsSchema.parse(JSON.parse(await readFile(stage.at(commitsFile), 'utf8')));
  } catch {
    // It was killed before it touched a file.
    return null;
  }
}

/** Null: no file and no link is there. */
async function idAt(folder: HostFolder, name: string, calls: FileCalls): Promise<string | null> {
  const found = await calls.lstat(folder.at(name)).catch(() => null);
  return found?.isFile() === true || found?.isSymbolicLink() === true ? idOf(folder, name, calls) : null;
}

const isThere = (place: string, calls: FileCalls): Promise<boolean> =>
  calls.lstat(place).then(
    () => true,
    (error: unknown) => !isGone(error),
  );

/** False: it has a file that is nowhere else. */
async function putBack(stage: HostFolder, tree: string, calls: FileCalls): Promise<boolean> {
  const isKept = (name: string): boolean => /^(?:old|taken)-\d+$/u.test(name);
  const left = new Set((await readdir(stage.place)).filter(isKept));
  // The list is whole before the first file is set aside, so without one there is nothing to put back.
  if (left.size === 0) return true;
  const paths = await readPaths(stage);
  const folders = createWriter(tree, { calls });
  try {
    for (const [at, path, before, after] of paths) {
      if (path.split('/').some(isGitName)) continue;
      // Somebody wrote to what the pull had brought. That is newer than the old file.
      for (const [name, oid] of [
        [`taken-${at}`, after],
        [`old-${at}`, before],
      ] as const)
        if (left.has(name) && (await isSafe(stage, { name, path, oid }, { folders, calls }))) left.delete(name);
    }
    return left.size === 0;
  } finally {
    await folders.close();
  }
}

interface Kept {
  readonly name: string;
  readonly path: string;
  /** What git has of it. */
  readonly oid: string | null;
}

/** Puts a file back where its place is free. Also true if git has the same content. */
async function isSafe(
  stage: HostFolder,
  { name, path, oid }: Kept,
  { folders, calls }: { readonly folders: CheckoutWriter; readonly calls: FileCalls },
): Promise<boolean> {
  // A folder has no id, so it is nowhere else.
  const isInGit = (): Promise<boolean> =>
    idOf(stage, name, calls).then(
      (id) => id === oid,
      () => false,
    );
  // What the pull brought is not put back.
  if (name.startsWith('taken-') && (await isInGit())) return true;
  try {
    const { parent, name: last } = await folders.parentOf(path);
    await renameToFree(stage.at(name), parent.at(last), calls);
    return true;
  } catch {
    // Something else stands there, or in its way.
    return isInGit();
  }
}

async function readPaths(stage: HostFolder): Promise<readonly PullPath[]> {
  const text = await readFile(stage.at('paths.json'), 'utf8').catch(() => '');
  try {
    return pathsSchema.parse(JSON.parse(text));
  } catch {
    // Cut off, or not of a pull: what is in the folder stays there.
    return [];
  }
}
