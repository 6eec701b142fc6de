import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, readlink, rename, unlink, writeFile } from 'node:fs/promises';
import { nullIfGone, pathIn, readRegularFile, type HostFolder } from '../../../lib/files/host-folder.ts';
import { messageOf } from '@shared/errors.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { FolderChain } from './folder-chain.ts';
import { hostNameOf, childPath, keyOf, namesOf, shownPath } from './folder-names.ts';
import { reduceConfig, staysInside } from './git-config.ts';
import { addressFolders, linkedFolders, redirects, todoFile, withoutPrograms } from './git-data.ts';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../lib/files/json-file.ts';

/** The limit for one session, because a command could otherwise fill the disk. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Keeps files that are removed from a workspace, numbered, in a folder of the home. Beyond the limit, nothing more
 * is kept.
 */
export function createTakenFileKeeper(folder: string): KeepTakenFile {
  let count = 0;
  let bytes = 0;
  return async (path, content) => {
    count += 1;
    bytes += content.length;
    if (bytes > mostBytes) return;
    const name = shownPath(path)
      .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
      .slice(-120);
    await writeFileAtomic(join(folder, `${String(count).padStart(4, '0')}-${name}`), content, { sync: false });
  };
}

/** What was removed from a repository, in words for the user. Empty if it was harmless. */
export interface Harmless {
  readonly done: readonly string[];
  /** What could not be done, with the reason. Null: it is harmless now. */
  readonly problem: string | null;
}

/** Keeps the bytes of a file before it is changed or removed. */
export type KeepTakenFile = (path: string, bytes: Uint8Array) => Promise<void>;

export interface HarmlessOptions {
  readonly chain: FolderChain;
  readonly keep: KeepTakenFile;
  /** Whether a folder of the workspace is the data of a repository that is checked, too. */
  readonly isKnownData: (path: string) => boolean;
  /** Whether a folder exists in the workspace, with no link in its path. */
  readonly isFolder: (path: string) => boolean;
}

export const maxConfigBytes = 256 * 1024;

/**
 * Makes a repository that a command made harmless for git calls in it or above it. Reduces its configuration,
 * empties its hooks, and removes what leads elsewhere. `path` is the folder of its data. Never rejects.
 */
export async function makeHarmless(path: string, options: HarmlessOptions): Promise<Harmless> {
  const made = await attempt(path, options, async (work) => {
    await takeRights(work.folder);
    await reduce(work);
    await emptyHooks(work);
    for (const name of [...linkedFolders, ...redirects])
      if (!(await isOwnCommondir(work, name))) await takeAway(work, name);
    await takeAddresses(work, new Set());
    await takePrograms(work, '');
  });
  return made.problem === null ? made : disableRepository(path, { done: made.done, reason: made.problem }, options);
}

/** Runs work in a folder. Returns its notes, and the reason if it failed. */
async function attempt(path: string, options: HarmlessOptions, work: (work: Work) => Promise<void>): Promise<Harmless> {
  const done: string[] = [];
  const note = (text: string): void => void done.push(text);
  try {
    await options.chain.use(namesOf(path), (folder) => work({ folder, path, note, ...options }));
    return { done, problem: null };
  } catch (error) {
    return { done, problem: messageOf(error) };
  }
}

/** Disables a repository that cannot be made harmless. Without `HEAD`, git treats it as a plain folder. */
async function disableRepository(
  path: string,
  { done, reason }: { readonly done: readonly string[]; readonly reason: string },
  { chain }: HarmlessOptions,
): Promise<Harmless> {
  const taken = await chain
    .use(namesOf(path), async (folder) => {
      await takeRights(folder);
      await unlink(folder.at('HEAD'));
    })
    .then(
      () => true,
      // The caller reports that nothing could be done.
      () => false,
    );
  const text = `HEAD removed, because the rest could not be made harmless (${reason})`;
  return taken ? { done: [...done, text], problem: null } : { done, problem: reason };
}

/**
 * Removes what a command added to the data of the user's own repository. `kept` is what was there before, by its
 * path in the data.
 */
export async function revertAdditions(
  path: string,
  kept: ReadonlyMap<string, string>,
  options: HarmlessOptions,
): Promise<Harmless> {
  return attempt(path, options, async (work) => {
    for (const name of [...linkedFolders, ...redirects]) if (!kept.has(name)) await takeAway(work, name);
    await takeAddresses(work, new Set(kept.keys()));
    await takePrograms(work, kept.get(todoFile) ?? '');
  });
}

/**
 * Checks a `.git` file. It may stay if it leads to a repository of this workspace that is checked, or to nothing on
 * this machine. A link may not stay.
 */
export async function judgePointer(path: string, options: HarmlessOptions): Promise<Harmless> {
  const names = namesOf(path);
  const name = names.at(-1) ?? '';
  return attempt(names.slice(0, -1).join('/'), options, async (work) => {
    const text = (await readRegularFile(work.folder, name, 16 * 1024))?.toString() ?? '';
    const target = /^gitdir: ([^\n\r\0]+)\r?\n?$/.exec(text)?.[1] ?? null;
    if (target === null || !(await mayPointTo(target, work))) await takeAway(work, name);
  });
}

/**
 * Worktrees and submodules that were made inside the container point to paths below `/workspace`. They are harmless
 * if that does not exist on the host.
 */
async function mayPointTo(target: string, { path, isKnownData }: Work): Promise<boolean> {
  if (target.startsWith('/workspace/')) return (await statsOf('/workspace')) === null;
  return staysInside(target, path) && isKnownData(resolved(target, path));
}

/** Resolves a relative path within the workspace. The caller has checked that it stays inside. */
function resolved(target: string, from: string): string {
  const names = [...namesOf(from)];
  for (const name of target.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

interface Work extends HarmlessOptions {
  /** The data of the repository. */
  readonly folder: HostFolder;
  readonly path: string;
  readonly note: (text: string) => void;
}

async function reduce(work: Work): Promise<void> {
  const { folder, path, note, isFolder } = work;
  const found = await statsOf(folder.at('config'));
  if (found === null || found.isDirectory()) return;
  const bytes = found.isFile() ? await readRegularFile(folder, 'config', maxConfigBytes) : null;
  if (bytes === null) {
    // A link, a pipe, a file that is too large or that cannot be read. Git works without it.
    await takeAway(work, 'config');
    return;
  }
  const text = bytes.toString();
  const reduced = reduceConfig(text, (value) => staysInside(value, path) && isFolder(resolved(value, path)));
  if (reduced.text === text) return;
  await work.keep(childPath(path, 'config'), bytes);
  const temporary = folder.at(`config.${randomBytes(6).toString('hex')}`);
  await writeFile(temporary, reduced.text, { flag: 'wx', mode: 0o644 });
  await rename(temporary, folder.at('config'));
  if (reduced.removed.length > 0) note(`settings removed: ${some(reduced.removed)}`);
}

async function emptyHooks(work: Work): Promise<void> {
  const hooks = await statsOf(work.folder.at('hooks'));
  if (hooks === null) return;
  if (!hooks.isDirectory()) return takeAway(work, 'hooks');
  const taken = await takeAllIn(work, 'hooks', (name) => name.endsWith('.sample'));
  if (taken.length > 0) work.note(`hooks removed: ${some(taken)}`);
}

async function takeAddresses(work: Work, kept: ReadonlySet<string>): Promise<void> {
  for (const folder of addressFolders) {
    const found = await statsOf(work.folder.at(folder));
    if (found === null) continue;
    if (!found.isDirectory()) await takeAway(work, folder);
    else {
      const taken = await takeAllIn(work, folder, (name) => kept.has(`${folder}/${name}`));
      if (taken.length > 0) work.note(`${folder}/ removed: ${some(taken)}`);
    }
  }
}

async function takePrograms({ chain, path, note, keep }: Work, before: string): Promise<void> {
  const [name = '', file = ''] = todoFile.split('/');
  await below(chain, childPath(path, name), async (folder) => {
    const bytes = await readRegularFile(folder, file, maxConfigBytes);
    if (bytes === null) {
      if ((await statsOf(folder.at(file))) !== null) await unlink(folder.at(file));
      return;
    }
    const left = withoutPrograms(bytes.toString(), before);
    if (left === bytes.toString()) return;
    await keep(childPath(path, todoFile), bytes);
    const temporary = folder.at(`${file}.${randomBytes(6).toString('hex')}`);
    await writeFile(temporary, left, { flag: 'wx', mode: 0o644 });
    await rename(temporary, folder.at(file));
    note('programs removed from an unfinished rebase');
  });
}

/** Whether it belongs to a worktree that git itself made, whose data is inside that of its repository. */
async function isOwnCommondir({ folder, path, isKnownData }: Work, name: string): Promise<boolean> {
  if (name !== 'commondir' || (await statsOf(folder.at('objects'))) !== null) return false;
  const names = namesOf(path);
  if (names.at(-2) !== 'worktrees' || !isKnownData(names.slice(0, -2).join('/'))) return false;
  // Git strips line breaks and nothing else.
  return /^\.\.\/\.\.[\r\n]*$/.test((await readRegularFile(folder, name, 64))?.toString() ?? '');
}

/** Removes one name below the data. A folder stays: git ignores a folder there, so its contents need no check. */
async function takeAway({ chain, path, note, keep }: Work, inside: string): Promise<void> {
  const names = namesOf(inside);
  const name = names.at(-1) ?? '';
  await below(chain, [path, ...names.slice(0, -1)].filter((part) => part !== '').join('/'), async (folder) => {
    const place = pathIn(folder, hostNameOf(name));
    const found = await statsOf(place);
    if (found === null || found.isDirectory()) return;
    await takeRights(folder);
    await keepOf(folder, name, { path: childPath(path, inside), found, keep });
    await unlink(place);
    note(`${inside} removed`);
  });
}

/** Removes all names in a folder of the data except folders, which git ignores there. */
async function takeAllIn(
  { chain, path, keep }: Work,
  name: string,
  stays: (name: string) => boolean,
): Promise<readonly string[]> {
  const taken: string[] = [];
  await below(chain, childPath(path, name), async (folder) => {
    for (const entry of await readdir(folder.place, { encoding: 'buffer' })) {
      const key = keyOf(entry);
      const place = pathIn(folder, entry);
      const found = await statsOf(place);
      if (found === null || found.isDirectory() || stays(key)) continue;
      if (taken.length === 0) await takeRights(folder);
      await keepOf(folder, key, { path: childPath(childPath(path, name), key), found, keep });
      await unlink(place);
      taken.push(entry.toString());
    }
  });
  return taken;
}

async function keepOf(
  folder: HostFolder,
  name: string,
  { path, found, keep }: { readonly path: string; readonly found: Stats; readonly keep: KeepTakenFile },
): Promise<void> {
  if (found.isSymbolicLink()) {
    const target = await readlink(pathIn(folder, hostNameOf(name)), { encoding: 'buffer' });
    await keep(`${path}.link`, target);
  } else if (found.isFile() && !name.startsWith('\0')) {
    const bytes = await readRegularFile(folder, name, maxConfigBytes);
    if (bytes !== null) await keep(path, bytes);
  }
}

/** Runs work in a folder of the workspace, if it exists. Rejects if the folder cannot be read. */
async function below(chain: FolderChain, path: string, work: (folder: HostFolder) => Promise<void>): Promise<void> {
  const isThere = await chain.use(namesOf(path), () => true).catch(nullIfGone);
  if (isThere !== null) await chain.use(namesOf(path), work);
}

/** A command may have removed write permission from its folders. They belong to the user, so it can be restored. */
async function takeRights(folder: HostFolder): Promise<void> {
  const found = await statsOf(`${folder.place}/.`);
  if (found !== null && (found.mode & 0o700) !== 0o700) await chmod(`${folder.place}/.`, (found.mode & 0o7777) | 0o700);
}

function statsOf(place: string | Buffer): Promise<Stats | null> {
  return lstat(place).catch(nullIfGone);
}

function some(all: readonly string[]): string {
  const names = all.map(seenName);
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
