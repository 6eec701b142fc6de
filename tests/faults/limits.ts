import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mountDisk } from './mounts.ts';

/**
 * No file of this process may grow beyond so many bytes: a write then takes what fits, and the next one fails, as on a
 * full disk; and like on a full disk that is over when there is room again. Needs no rights.
 */
export async function withFileLimit<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  limitThis(String(bytes));
  try {
    return await work();
  } finally {
    limitThis('unlimited');
  }
}

function limitThis(bytes: string): void {
  const done = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`prlimit: ${done.error?.message ?? done.stderr}`);
}

/** Put before a program: the same limit for it. */
export const underFileLimit = (bytes: number): readonly string[] => ['prlimit', `--fsize=${bytes}`];

/** Put before a program: permissions of files count for it, also where it runs as root. */
export const underPermissions: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
}

const largestFilled = 256 * 1024 * 1024;

/**
 * An empty folder on a disk with little room: one of its own where this user may mount, else a folder of a small disk
 * in memory that is there anyway, as in every container. `at`: a folder, which is used or becomes a link to the other.
 */
export async function smallDisk(at: string): Promise<SmallDisk> {
  const mounted = await mountDisk(at, '1m');
  if (mounted !== null) return { path: at, [Symbol.asyncDispose]: () => mounted[Symbol.asyncDispose]() };
  for (const place of ['/run/lock', `/run/user/${process.getuid?.()}`, '/dev/shm']) {
    const path = await folderOn(place);
    if (path === null) continue;
    await rm(at, { recursive: true });
    await symlink(path, at);
    return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
  }
  throw new Error('There is no small disk on this machine, and this user may not mount one.');
}

async function folderOn(place: string): Promise<string | null> {
  try {
    const { blocks, bsize } = await statfs(place);
    if (blocks * bsize > largestFilled) return null;
    return await mkdtemp(join(place, 'dewpoint-small-'));
  } catch {
    // Not there, or not ours to write to.
    return null;
  }
}

/** Takes all of a disk but so many bytes. */
export async function leaveRoom(disk: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  await writeFile(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - bytes));
}
