import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const bytes = 64 * 1024 * 1024;

export interface CaseBlindDisk extends AsyncDisposable {
  readonly path: string;
}

/**
 * An empty folder on a disk that does not tell capital letters apart. On macOS and Windows the temporary folder usually
 * lies on one. On Linux it is an exFAT disk in a file, mounted by exfat-fuse. Null: this user or this machine cannot.
 */
export async function caseBlindDisk(): Promise<CaseBlindDisk | null> {
  const base = await mkdtemp(join(tmpdir(), 'dewpoint-case-'));
  const remove = (): Promise<void> => rm(base, { recursive: true, force: true });
  const path = join(base, 'disk');
  await mkdir(path);
  if (await isCaseBlind(path)) return { path, [Symbol.asyncDispose]: remove };
  const unmount = await mountExfat(join(base, 'disk.img'), path);
  const release = async (): Promise<void> => {
    await unmount?.();
    await remove();
  };
  if (unmount !== null && (await isCaseBlind(path))) return { path, [Symbol.asyncDispose]: release };
  await release();
  return null;
}

async function isCaseBlind(folder: string): Promise<boolean> {
  const file = join(folder, 'a');
  await writeFile(file, '');
  const isFound = existsSync(join(folder, 'A'));
  await rm(file);
  return isFound;
}

/** Returns what unmounts the disk. Null: nothing is mounted. */
async function mountExfat(image: string, path: string): Promise<(() => Promise<void>) | null> {
  const undo: (() => Promise<unknown>)[] = [];
  const unmount = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    await writeFile(image, '');
    await truncate(image, bytes);
    await run('mkfs.exfat', [image]);
    const { stdout } = await run('losetup', ['--find', '--show', image]);
    const device = stdout.trim();
    undo.push(() => run('losetup', ['--detach', device]));
    await run('mount.exfat-fuse', [device, path]);
    undo.push(() => run('umount', [path]));
    return unmount;
  } catch {
    await unmount();
    return null;
  }
}
