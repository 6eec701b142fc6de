import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, readFile, rmdir, symlink } from 'node:fs/promises';
import { AppError, messageOf } from '@shared/errors.ts';
import type { z } from 'zod';
import type { FileCalls } from '../../lib/files/file-calls.ts';
import { type HostFolder, openChildFolder } from '../../lib/files/host-folder.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import { thisProcess } from '../../lib/files/lock-owner.ts';
import { changedIndex, type IndexedFile } from '../clone/git-index.ts';
import { blobOf, checkoutNotes, createWriter, isLinkToOutside, type CheckoutWriter } from '../clone/write-checkout.ts';
import { isContentPointer } from '../commit-files.ts';
import { withManyReads } from '../many-reads.ts';
import type { Repository } from '../repository.ts';
import { openGitFolder } from '../repository-files.ts';
import { gitModes, type PlannedChange } from './plan-files.ts';
import {
  commitsFile,
  type commitsSchema,
  idOf,
  isSameEntry,
  lockText,
  ownerFile,
  renameToFree,
  type PullPath,
} from './stage-files.ts';

interface PlaceOptions {
  readonly calls: FileCalls;
  readonly index: Buffer;
  readonly hasLinks: boolean;
  readonly commits: { readonly from: string; readonly to: string };
  readonly onWritten: (done: number, total: number) => void;
  /** The last thing that is done. */
  readonly moveBranch: () => Promise<void>;
}

/** What takes one thing back. */
type Undo = () => Promise<void>;

const mostBytes = 4_000_000_000;
/** Small files that the next pull relies on if this one is killed. */
const secret = { mode: 0o600, isSynced: true } as const;
const open = { mode: 0o644, isSynced: true } as const;
/** Progress is said at every so many files. */
const atOnce = 200;

/**
 * Puts all files in place, and then the index and the branch. The new files are written beside them first, so a full disk
 * changes nothing. No file is removed or replaced before its bytes lie in a folder of `.git`: one that somebody wrote
 * meanwhile goes back, and so does everything else.
 */
export async function placeFiles(
  repository: Repository,
  changes: readonly PlannedChange[],
  options: PlaceOptions,
): Promise<readonly string[]> {
  const own = await openGitFolder(repository.places);
  const { calls } = options;
  try {
    await lockIndex(own, calls);
    try {
      if (!(await readFile(own.at('index'))).equals(options.index)) throw changedMeanwhile('The index');
      return await inStage(own, calls, (stage) => placeFrom(stage, { own, repository, changes, options }));
    } finally {
      await calls.unlink(own.at('index.lock'));
    }
  } finally {
    await own.close();
  }
}

interface Work {
  readonly own: HostFolder;
  readonly repository: Repository;
  readonly changes: readonly PlannedChange[];
  readonly options: PlaceOptions;
}

async function placeFrom(stage: HostFolder, { own, repository, changes, options }: Work): Promise<readonly string[]> {
  const { hasLinks, commits, calls, onWritten } = options;
  const numbered = changes.map((change, at) => ({ ...change, at }));
  const found = await writeNewOnes(stage, repository, { changes: numbered, hasLinks, commits, calls });
  const undo: Undo[] = [];
  const folders = createWriter(repository.places.tree, {
    calls,
    onMade: (path) => undo.push(() => removeMade(path, folders)),
  });
  let done = 0;
  const step = (): void => {
    done += 1;
    if (done % atOnce === 0 || done === changes.length) onWritten(done, changes.length);
  };
  try {
    const placing = { stage, folders, undo, calls };
    const isFile = ({ before }: PlannedChange): boolean => before !== null && before.kind !== 'submodule';
    const isGoing = (one: PlannedChange): boolean => one.after === null || one.after.kind === 'submodule';
    const going = numbered.filter((one) => isGoing(one) && isFile(one));
    for (const change of going) {
      if (change.found === 'before') await setAside(change, placing);
      step();
    }
    await removeEmpty(going, placing);
    const links = (one: PlannedChange): number => (one.after?.kind === 'link' ? 1 : 0);
    const goes = new Set(going);
    const coming = numbered.filter((one) => !goes.has(one)).sort((one, other) => links(one) - links(other));
    for (const change of coming) {
      await bringOne(change, placing);
      step();
    }
    for (const { after, path } of going) if (after?.kind === 'submodule') await makeFolder(path, folders);
    const indexed = await indexedFiles(numbered, { folders, calls });
    const gone = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
    await writeIndex(stage, own, { bytes: changedIndex(options.index, { gone, files: indexed }), undo, calls });
    await options.moveBranch();
  } catch (error) {
    await takeBack(undo, error);
    throw asTold(error);
  } finally {
    await folders.close();
  }
  return checkoutNotes(found);
}

/** Writes all new contents beside the old ones. */
async function writeNewOnes(
  stage: HostFolder,
  repository: Repository,
  {
    changes,
    hasLinks,
    commits,
    calls,
  }: Pick<PlaceOptions, 'hasLinks' | 'commits' | 'calls'> & { readonly changes: readonly Numbered[] },
) {
  const found = { pointers: 0, submodules: 0, outside: [] as string[] };
  const packed = withManyReads(repository);
  const paths: PullPath[] = [];
  const added: number[] = [];
  let left = mostBytes;
  for (const { after, before, at, path, found: onDisk } of changes) {
    paths.push([at, path, before?.oid ?? null, after?.oid ?? null]);
    if (after?.kind === 'submodule') found.submodules += 1;
    if (after === null || after.kind === 'submodule') continue;
    const bytes = await blobOf(packed, after).catch(() => blobOf(repository, after));
    left -= bytes.length;
    if (left < 0) throw new AppError('too-large', 'The pull brings more than 4 GB of files. Nothing was changed.');
    if (after.kind === 'link' && isLinkToOutside(path, bytes)) found.outside.push(path);
    if (after.kind !== 'link' && isContentPointer(bytes)) found.pointers += 1;
    if (onDisk === 'after') continue;
    if (onDisk === 'missing') added.push(at);
    if (after.kind === 'link' && hasLinks) await symlink(linkTarget(bytes), stage.at(`new-${at}`));
    else {
      const mode = after.kind === 'program' ? 0o777 : 0o666;
      await calls.writeNew(stage.at(`new-${at}`), bytes, { mode, isSynced: false });
    }
  }
  const about: z.input<typeof commitsSchema> = { ...commits, added };
  await calls.writeNew(stage.at(commitsFile), Buffer.from(JSON.stringify(about)), secret);
  await calls.writeNew(stage.at('paths.json'), Buffer.from(JSON.stringify(paths)), secret);
  return found;
}

function linkTarget(bytes: Buffer): Buffer {
  if (bytes.length === 0 || bytes.length > 4_000 || bytes.includes(0))
    throw new AppError('refused', 'The repository has a link that leads to no path. Nothing was changed.');
  return bytes;
}

interface Numbered extends PlannedChange {
  readonly at: number;
}

interface Placing {
  readonly calls: FileCalls;
  readonly stage: HostFolder;
  readonly folders: CheckoutWriter;
  readonly undo: Undo[];
}

/** Moves the old file into the stage, and looks whether it still is what it was. */
async function setAside({ path, at, before }: Numbered, { stage, folders, undo, calls }: Placing): Promise<void> {
  const old = stage.at(`old-${at}`);
  const { parent, name } = await folders.parentOf(path);
  await calls.rename(parent.at(name), old);
  undo.push(async () => {
    const { parent: again, name: same } = await folders.parentOf(path);
    await renameToFree(old, again.at(same), calls);
  });
  if ((await idOf(stage, `old-${at}`, calls)) !== before?.oid) throw changedMeanwhile(path);
}

async function bringOne(change: Numbered, placing: Placing): Promise<void> {
  const { stage, folders, undo, calls } = placing;
  const { path, at, before, after, found } = change;
  if (after === null || found === 'after') return;
  if (after.kind === 'submodule') return makeFolder(path, folders);
  const isReplaced = found === 'before' && before?.kind !== 'link' && after.kind !== 'link';
  if (found === 'before' && !(isReplaced && (await linkedAside(change, placing)))) await setAside(change, placing);
  const { parent, name } = await folders.parentOf(path);
  const place = parent.at(name);
  if (isReplaced && (await isSameEntry(place, stage.at(`old-${at}`), calls))) {
    await calls.rename(stage.at(`new-${at}`), place);
    undo.push(async () => {
      const { parent: again, name: same } = await folders.parentOf(path);
      if ((await idOf(again, same, calls)) !== after.oid) throw changedMeanwhile(path);
      await calls.rename(stage.at(`old-${at}`), again.at(same));
    });
    if ((await idOf(stage, `old-${at}`, calls)) !== before?.oid) throw changedMeanwhile(path);
    return;
  }
  await renameToFree(stage.at(`new-${at}`), place, calls).catch((error: unknown) => {
    throw errorCodeOf(error) === 'EEXIST' ? changedMeanwhile(path) : error;
  });
  undo.push(async () => {
    const { parent: again, name: same } = await folders.parentOf(path);
    await calls.rename(again.at(same), stage.at(`taken-${at}`));
    if ((await idOf(stage, `taken-${at}`, calls)) === after.oid) return;
    // Somebody wrote to it since: their bytes stay where they are.
    await renameToFree(stage.at(`taken-${at}`), again.at(same), calls);
  });
}

/** A second name for the old file, so that its place is never empty. False: this file system has none. */
async function linkedAside({ path, at }: Numbered, { stage, folders, calls }: Placing): Promise<boolean> {
  const { parent, name } = await folders.parentOf(path);
  return calls.link(parent.at(name), stage.at(`old-${at}`)).then(
    () => true,
    () => false,
  );
}

async function makeFolder(path: string, folders: CheckoutWriter): Promise<void> {
  const { parent, name } = await folders.parentOf(path);
  await mkdir(parent.at(name)).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  });
}

/** A folder that the pull made. It stays if it holds something. */
async function removeMade(path: string, folders: CheckoutWriter): Promise<void> {
  const { parent, name } = await folders.parentOf(path);
  await rmdir(parent.at(name)).catch(() => undefined);
}

/** Folders that the files that went leave empty, innermost first. A folder that holds something stays. */
export async function removeEmpty(
  gone: readonly Pick<PlannedChange, 'path'>[],
  { folders, undo }: Pick<Placing, 'folders' | 'undo'>,
): Promise<void> {
  const all = new Set<string>();
  for (const { path } of gone)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) all.add(path.slice(0, end));
  const deepest = [...all].sort((one, other) => other.split('/').length - one.split('/').length);
  for (const path of deepest) {
    const { parent, name } = await folders.parentOf(path).catch(() => ({ parent: null, name: '' }));
    if (parent === null) continue;
    const isRemoved = await rmdir(parent.at(name)).then(
      () => true,
      () => false,
    );
    if (isRemoved) undo.push(() => makeFolder(path, folders));
  }
  await folders.close();
}

async function indexedFiles(
  changes: readonly Numbered[],
  { folders, calls }: Pick<Placing, 'folders' | 'calls'>,
): Promise<readonly IndexedFile[]> {
  const files: IndexedFile[] = [];
  for (const { path, after } of changes) {
    if (after === null) continue;
    const { parent, name } = await folders.parentOf(path);
    const stats: BigIntStats | null = after.kind === 'submodule' ? null : await calls.lstat(parent.at(name));
    files.push({ path, oid: after.oid, mode: gitModes[after.kind], stats });
  }
  return files;
}

async function lockIndex(own: HostFolder, calls: FileCalls): Promise<void> {
  const owner = `${lockText}${JSON.stringify(await thisProcess())}\n`;
  await calls.writeNew(own.at('index.lock'), Buffer.from(owner), open).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    throw new AppError('conflict', 'Another program is changing this checkout. Nothing was changed.', {
      hint: 'Wait for it. If none is running, remove index.lock in .git.',
    });
  });
}

async function writeIndex(
  stage: HostFolder,
  own: HostFolder,
  { bytes, undo, calls }: { readonly bytes: Buffer } & Pick<Placing, 'undo' | 'calls'>,
): Promise<void> {
  await calls.writeNew(stage.at('index'), bytes, open);
  await calls.writeNew(stage.at('old-index'), await readFile(own.at('index')), open);
  await calls.rename(stage.at('index'), own.at('index'));
  undo.push(() => calls.rename(stage.at('old-index'), own.at('index')));
}

async function inStage<T>(own: HostFolder, calls: FileCalls, work: (stage: HostFolder) => Promise<T>): Promise<T> {
  const name = `dewpoint-pull-${process.pid}-${randomBytes(6).toString('hex')}`;
  await mkdir(own.at(name), { mode: 0o700 });
  const stage = await openChildFolder(own, name);
  let isKept = false;
  try {
    await calls.writeNew(stage.at(ownerFile), Buffer.from(JSON.stringify(await thisProcess())), secret);
    return await work(stage);
  } catch (error) {
    // What could not be put back is only here.
    isKept = error instanceof AppError && error.message.includes(stuck);
    throw error;
  } finally {
    await stage.close();
    if (!isKept) await calls.removeFolder(own.at(name));
  }
}

const stuck = 'could not be put back';

async function takeBack(undo: readonly Undo[], cause: unknown): Promise<void> {
  const failed: string[] = [];
  for (const back of undo.toReversed()) await back().catch((error: unknown) => failed.push(messageOf(error)));
  if (failed.length > 0)
    throw new AppError(
      'internal',
      `The pull failed, and ${failed.length} of the files ${stuck}. Their old contents lie in .git, in a folder dewpoint-pull-…`,
      { hint: 'See what differs: git status', cause },
    );
}

const changedMeanwhile = (path: string): AppError =>
  new AppError('conflict', `${path} changed during the pull. Your files are as they were.`, { hint: 'Pull again.' });

function asTold(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (code === 'EXDEV')
    return new AppError('refused', '.git is on another disk than the files. Your files are as they were.', {
      hint: 'Pull with your own git: git pull',
    });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('disk-full', 'The disk is full. Your files are as they were.', {
      hint: 'Free some space, and pull again.',
    });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new AppError('refused', 'A file or folder may not be changed. Your files are as they were.', {
      hint: 'Look at who owns the files.',
    });
  return error;
}
