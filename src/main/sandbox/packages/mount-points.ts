import { lstat, mkdir, readdir, rmdir } from 'node:fs/promises';
import { openChildFolder, openFolderBelow } from '../../lib/files/host-folder.ts';

/** An empty folder of the workspace on which packages are mounted. */
export interface MountPoint {
  /** In the container. */
  readonly target: string;
  /** Takes the folder away again where it was made here and is empty. Never rejects. */
  readonly remove: () => Promise<void>;
}

const name = 'node_modules';

/**
 * Makes `node_modules` in a folder of the workspace where it is missing: the engine would make it as its own user.
 * `blocked`: something is there already, or the folder is not.
 */
export async function makeMountPoint(workspacePath: string, folder: string): Promise<MountPoint | 'blocked'> {
  const names = folder === '' ? [] : folder.split('/');
  const parent = await openFolderBelow(workspacePath, names);
  if (parent === null) return 'blocked';
  let isThere = false;
  try {
    // What cannot be looked at is to be made, and that fails with its reason.
    isThere = (await lstat(parent.at(name)).catch(() => null)) !== null;
    if (isThere) {
      // What cannot be opened or listed cannot be mounted on.
      const child = await openChildFolder(parent, name).catch(() => null);
      const entries = child === null ? null : await readdir(child.place).catch(() => null);
      await child?.close();
      if (entries === null || entries.length > 0) return 'blocked';
    } else await mkdir(parent.at(name));
  } catch {
    // A folder that the person may not write in either.
    return 'blocked';
  } finally {
    await parent.close();
  }
  return {
    target: ['/workspace', ...names, name].join('/'),
    remove: async () => {
      // One that was there may be what another container has packages on: taking it away would take them off.
      if (isThere) return;
      const again = await openFolderBelow(workspacePath, names);
      if (again === null) return;
      // Somebody put something into it: it stays.
      await rmdir(again.at(name)).catch(() => undefined);
      await again.close();
    },
  };
}
