import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mountDisk } from './mounts.ts';

/**
 * Limits the size of every file that this process writes. A write then takes what fits and the next one fails, as on a
 * full disk. As there, writes work again once there is room. Needs no privileges.
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

/** A prefix for a program that sets the same limit. */
export const underFileLimit = (bytes: number): readonly string[] => ['prlimit', `--fsize=${bytes}`];

/** A prefix that makes file permissions apply to a program even if it runs as root. */
export const underPermissions: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
}

const largestFilled = 256 * 1024 * 1024;

/**
 * An empty folder on a disk with little room. It is a separate disk if this user may mount, otherwise a folder on a
 * small disk in memory that exists anyway, as in every container. `at`: a folder that is used, or becomes a link to the
 * other one.
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
    // The disk is missing, or this user cannot write to it.
    return null;
  }
}

/** Fills a disk until only this many bytes are free. */
export async function leaveRoom(disk: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  await writeFile(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - bytes));
}
