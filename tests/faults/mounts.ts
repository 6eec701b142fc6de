import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Mounted {
  [Symbol.asyncDispose](): Promise<void>;
}

/** Mounts something on an existing folder. Null: this user or this machine cannot. */
async function mount(target: string, ways: readonly (readonly string[])[]): Promise<Mounted | null> {
  const release = async (): Promise<void> => void (await run('umount', ['-l', target]).catch(() => undefined));
  try {
    for (const args of ways) await run('mount', [...args]);
  } catch {
    await release();
    return null;
  }
  return { [Symbol.asyncDispose]: release };
}

/** The folder as it is, but read-only for everybody. */
export const mountReadOnly = (folder: string): Promise<Mounted | null> =>
  mount(folder, [
    ['--bind', folder, folder],
    ['-o', 'remount,bind,ro', folder],
  ]);

/** An empty disk of a size such as `4m`. */
export const mountDisk = (folder: string, size: string): Promise<Mounted | null> =>
  mount(folder, [['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', folder]]);
