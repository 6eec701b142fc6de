import { lstat, mkdir, readdir, rmdir } from 'node:fs/promises';
import { openChildFolder, openFolderBelow } from '../../lib/files/host-folder.ts';
import type { MountName } from './dependency-part.ts';
import { orNoted } from '../../lib/log.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

/** An empty folder of the workspace for mounting packages. */
export interface MountPoint {
  /** The path in the container. */
  readonly target: string;
  /** Removes the folder if it was made here and is empty. Never rejects. */
  readonly remove: () => Promise<void>;
}

/**
 * Makes `node_modules` or `vendor` in a folder of the workspace if it is missing, because the engine would make it as
 * another user. `blocked`: something is there already, or the folder does not exist.
 */
export async function makeMountPoint(
  workspacePath: string,
  folder: string,
  name: MountName,
): Promise<MountPoint | 'blocked'> {
  return askDrive(workspacePath, () => makeOnDrive(workspacePath, folder, name));
}

async function makeOnDrive(workspacePath: string, folder: string, name: MountName): Promise<MountPoint | 'blocked'> {
  const names = folder === '' ? [] : folder.split('/');
  const parent = await openFolderBelow(workspacePath, names);
  if (parent === null) return 'blocked';
  let isThere = false;
  try {
    // If this fails, creating the folder below fails, too, and gives the reason.
    isThere = (await lstat(parent.at(name)).catch(() => null)) !== null;
    if (isThere) {
      // A folder that cannot be opened or listed cannot be used.
      const child = await openChildFolder(parent, name).catch(() => null);
      const entries = child === null ? null : await readdir(child.place).catch(() => null);
      await child?.close();
      if (entries === null || entries.length > 0) return 'blocked';
    } else await mkdir(parent.at(name));
  } catch {
    // The user may not write in this folder, either.
    return 'blocked';
  } finally {
    await parent.close();
  }
  return {
    target: ['/workspace', ...names, name].join('/'),
    remove: async () => {
      // A folder that existed before may have packages of another container mounted. Removing it would unmount them.
      if (isThere) return;
      const removed = askDrive(workspacePath, async () => {
        const again = await openFolderBelow(workspacePath, names);
        // If something was put into the folder, it stays.
        await rmdir(again?.at(name) ?? '').catch(() => undefined);
        await again?.close();
      });
      await removed.catch(orNoted('sandbox: a folder for packages was not removed', undefined));
    },
  };
}
