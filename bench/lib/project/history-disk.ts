import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The files of a folder by path, with what a restore must bring back of each. */
export type Disk = ReadonlyMap<string, { readonly bytes: Buffer; readonly mode: number }>;

export async function readDisk(root: string): Promise<Disk> {
  const found = new Map<string, { bytes: Buffer; mode: number }>();
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    found.set(path.slice(root.length + 1), { bytes: await readFile(path), mode: mode & 0o777 });
  }
  return found;
}

export function isSameFile(left: ReturnType<Disk['get']>, right: ReturnType<Disk['get']>): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.mode === right.mode && left.bytes.equals(right.bytes);
}

/** Writes a file as an editor does, in place of whatever stands on its way. Null deletes it. */
export async function putFile(root: string, path: string, bytes: Buffer | null, mode?: number): Promise<void> {
  const full = join(root, path);
  if (bytes === null) return rm(full, { force: true, recursive: true });
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, bytes);
  if (mode !== undefined) await chmod(full, mode);
}

export async function moveFile(root: string, from: string, to: string): Promise<void> {
  await mkdir(dirname(join(root, to)), { recursive: true });
  await rename(join(root, from), join(root, to));
}

/** The kinds of what is on the way to a path: a file there means that no file can be written below it. */
export async function standsInTheWay(root: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const found = await stat(join(root, ...parts.slice(0, length))).catch(() => null);
    if (found === null) return false;
    if (length < parts.length ? !found.isDirectory() : found.isDirectory()) return true;
  }
  return false;
}

const token = /<\d+:[a-z]{8}>/gu;

/** The marks that a person wrote, each once in a history. */
export function tokensIn(bytes: Uint8Array): readonly string[] {
  return Buffer.from(bytes).toString('latin1').match(token) ?? [];
}
