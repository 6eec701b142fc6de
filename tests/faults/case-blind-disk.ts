import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountExfat } from './exfat-disk.ts';

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
  const mounted = await mountExfat(join(base, 'disk.img'), path);
  const release = async (): Promise<void> => {
    await mounted?.unmount();
    await remove();
  };
  if (mounted !== null && (await isCaseBlind(path))) return { path, [Symbol.asyncDispose]: release };
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
