import { lstat, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { type HostFolder, isGitName, isGone, openChildFolder } from '../../lib/files/host-folder.ts';
import { isRunning } from '../../lib/files/lock-owner.ts';
import { createWriter } from '../clone/write-checkout.ts';
import type { Repository } from '../repository.ts';
import { openGitFolder } from '../repository-files.ts';
import { idOf, lockText, renameToFree, stageName } from './stage-files.ts';

/** Puts back what a pull that was killed had set aside, and removes what it left. Returns whole sentences. */
export async function recoverPull({ places }: Repository): Promise<readonly string[]> {
  const own = await openGitFolder(places);
  const notes: string[] = [];
  try {
    for (const name of await readdir(own.place)) {
      const pid = stageName.exec(name)?.[1];
      if (pid === undefined || (await isAlive(pid))) continue;
      if (await putBack(own, name, places.tree)) await rm(own.at(name), { recursive: true, force: true });
      else notes.push(`A pull that was interrupted kept a file in .git/${name}. Look at it, and remove the folder.`);
    }
    const lock = await readFile(own.at('index.lock'), 'utf8').catch(() => '');
    if (lock.startsWith(lockText) && !(await isAlive(lock.slice(lockText.length).trim())))
      await unlink(own.at('index.lock'));
    return notes;
  } finally {
    await own.close();
  }
}

const isAlive = (pid: string): Promise<boolean> => isRunning({ pid: Number(pid), startedAt: null, boot: null });

/** False: it has a file that is nowhere else. */
async function putBack(own: HostFolder, name: string, tree: string): Promise<boolean> {
  const stage = await openChildFolder(own, name).catch(() => null);
  if (stage === null) return true;
  const folders = createWriter(tree);
  try {
    const paths: unknown = JSON.parse(await readFile(stage.at('paths.json'), 'utf8').catch(() => '[]'));
    let isAll = true;
    for (const row of Array.isArray(paths) ? paths : []) {
      const [at, path, oid]: readonly unknown[] = Array.isArray(row) ? row : [];
      if (
        typeof path !== 'string' ||
        path.split('/').some(isGitName) ||
        !(await isThere(stage.at(`old-${Number(at)}`)))
      )
        continue;
      const { parent, name: last } = await folders.parentOf(path);
      if (!(await isThere(parent.at(last)))) await renameToFree(stage.at(`old-${Number(at)}`), parent.at(last));
      else if ((await idOf(stage, `old-${Number(at)}`)) !== oid) isAll = false;
    }
    return isAll;
  } finally {
    await folders.close();
    await stage.close();
  }
}

const isThere = (place: string): Promise<boolean> =>
  lstat(place).then(
    () => true,
    (error: unknown) => !isGone(error),
  );
