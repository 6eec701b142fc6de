import { execFile } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const bytes = 64 * 1024 * 1024;

interface MountedDisk {
  /** The loop device under it. */
  readonly device: string;
  readonly unmount: () => Promise<void>;
}

/**
 * Makes a disk in a file and mounts it, served by a program. `isLazy`: it is unmounted even while something still waits
 * for it. Null: this machine cannot mount one, and nothing is mounted.
 */
export async function mountExfat(
  image: string,
  path: string,
  { isLazy = false }: { readonly isLazy?: boolean } = {},
): Promise<MountedDisk | null> {
  const undo: (() => Promise<unknown>)[] = [];
  const unmount = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    await writeFile(image, '');
    await truncate(image, bytes);
    await run('mkfs.exfat', [image]);
    const device = (await run('losetup', ['--find', '--show', image])).stdout.trim();
    undo.push(() => run('losetup', ['--detach', device]));
    await run('mount.exfat-fuse', [device, path]);
    undo.push(() => run('umount', [...(isLazy ? ['--lazy'] : []), path]));
    return { device, unmount };
  } catch {
    await unmount();
    return null;
  }
}
