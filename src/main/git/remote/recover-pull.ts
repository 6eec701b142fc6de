import { readdir, readFile, rm, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { type HostFolder, isGitName, openChildFolder } from '../../lib/files/host-folder.ts';
import { isRunning, ownerFrom } from '../../lib/files/lock-owner.ts';
import { type CheckoutWriter, createWriter } from '../clone/write-checkout.ts';
import type { Repository } from '../repository.ts';
import { openGitFolder } from '../repository-files.ts';
import { idOf, lockText, ownerFile, renameToFree, stageName, type StagedPath } from './stage-files.ts';

/** Puts back what a pull that was killed had set aside, and removes what it left. Returns whole sentences. */
export async function recoverPull({ places }: Repository): Promise<readonly string[]> {
  const own = await openGitFolder(places);
  const notes: string[] = [];
  try {
    for (const name of await readdir(own.place)) {
      const pid = stageName.exec(name)?.[1];
      if (pid === undefined) continue;
      const stage = await openChildFolder(own, name).catch(() => null);
      if (stage === null) continue;
      try {
        const owner = await readFile(stage.at(ownerFile), 'utf8').catch(() => '');
        if (await isAlive(owner, pid)) continue;
        if (await putBack(stage, places.tree)) await rm(own.at(name), { recursive: true, force: true });
        else notes.push(`A pull that was interrupted kept a file in .git/${name}. Look at it, and remove the folder.`);
      } finally {
        await stage.close();
      }
    }
    const lock = await readFile(own.at('index.lock'), 'utf8').catch(() => '');
    const owner = lock.slice(lockText.length).trim();
    if (lock.startsWith(lockText) && !(await isAlive(owner, owner))) await unlink(own.at('index.lock'));
    return notes;
  } finally {
    await own.close();
  }
}

/** The id alone may be that of another process by now, such as after a restart of the machine. */
const isAlive = (owner: string, pid: string): Promise<boolean> =>
  isRunning(ownerFrom(owner) ?? { pid: Number(pid), startedAt: null, boot: null });

const pathsSchema: z.ZodType<readonly StagedPath[]> = z.array(
  z.tuple([z.number().int(), z.string(), z.string().nullable(), z.string().nullable()]),
);

/** False: it has a file that is nowhere else. */
async function putBack(stage: HostFolder, tree: string): Promise<boolean> {
  const isKept = (name: string): boolean => /^(?:old|taken)-\d+$/u.test(name);
  const left = new Set((await readdir(stage.place)).filter(isKept));
  // The list is whole before the first file is set aside, so without one there is nothing to put back.
  if (left.size === 0) return true;
  const paths = await readPaths(stage);
  const folders = createWriter(tree);
  try {
    for (const [at, path, before, after] of paths) {
      if (path.split('/').some(isGitName)) continue;
      // Somebody wrote to what the pull had brought. That is newer than the old file.
      for (const [name, oid] of [
        [`taken-${at}`, after],
        [`old-${at}`, before],
      ] as const)
        if (left.has(name) && (await isSafe(stage, { name, path, oid }, folders))) left.delete(name);
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
async function isSafe(stage: HostFolder, { name, path, oid }: Kept, folders: CheckoutWriter): Promise<boolean> {
  // A folder has no id, so it is nowhere else.
  const isInGit = (): Promise<boolean> =>
    idOf(stage, name).then(
      (id) => id === oid,
      () => false,
    );
  // What the pull brought is not put back.
  if (name.startsWith('taken-') && (await isInGit())) return true;
  try {
    const { parent, name: last } = await folders.parentOf(path);
    await renameToFree(stage.at(name), parent.at(last));
    return true;
  } catch {
    // Something else stands there, or in its way.
    return isInGit();
  }
}

async function readPaths(stage: HostFolder): Promise<readonly StagedPath[]> {
  const text = await readFile(stage.at('paths.json'), 'utf8').catch(() => '');
  try {
    return pathsSchema.parse(JSON.parse(text));
  } catch {
    // Cut off, or not of a pull: what is in the folder stays there.
    return [];
  }
}
