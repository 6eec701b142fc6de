import { createReadStream, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../lib/files/json-file.ts';

export interface UnreferencedBlobs {
  readonly count: number;
  readonly sizeBytes: number;
}

const weekMs = 7 * 24 * 60 * 60_000;
/** Folders that are not searched: they name no blobs, and hold copies of projects and files for containers. */
const passedOver: readonly string[] = ['blobs', 'workspaces', 'sandbox'];

/**
 * Blobs that no file of the home names: anything that looks like a name counts as one. Blobs of the last week are left
 * out, because a message in preparation names its attachments only when it is sent. Only the process that owns the home
 * may call this: it renews the age of every blob that it is asked to store. `remove`: also deletes them.
 */
export async function findUnreferencedBlobs(
  home: string,
  { remove, now }: { readonly remove: boolean; readonly now: number },
  signal: AbortSignal,
): Promise<UnreferencedBlobs> {
  const folder = join(home, 'blobs');
  const names = (await readdir(folder).catch(nothing)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const unnamed = new Set(names.filter((name) => isOld(join(folder, name), now)));
  if (unnamed.size > 0) await takeOutNamed(home, unnamed, signal);
  let [count, sizeBytes] = [0, 0];
  for (const name of unnamed) {
    const path = join(folder, name);
    // Checks and removes synchronously, so that a blob that is being stored is either found young or written again.
    const size = sizeOf(path, now);
    if (size === null) continue;
    if (remove) rmSync(path, { force: true });
    count += 1;
    sizeBytes += size;
  }
  return { count, sizeBytes };
}

const isOld = (path: string, now: number): boolean => sizeOf(path, now) !== null;

/** Null for a blob that is young or gone. */
function sizeOf(path: string, now: number): number | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.mtimeMs > now - weekMs ? null : found.size;
}

/** Takes the names out of `unnamed` that some file of the home has. */
export async function takeOutNamed(home: string, unnamed: Set<string>, signal: AbortSignal): Promise<void> {
  for await (const file of filesBelow(home)) {
    signal.throwIfAborted();
    let rest = '';
    for await (const piece of createReadStream(file, { encoding: 'latin1', signal })) {
      const text = rest + String(piece);
      for (const [name] of text.matchAll(/[0-9a-f]{64}/g)) unnamed.delete(name);
      rest = text.slice(-63);
    }
  }
}

async function* filesBelow(home: string, path = ''): AsyncGenerator<string> {
  for (const entry of await readdir(join(home, path), { withFileTypes: true })) {
    if (path === '' && passedOver.includes(entry.name)) continue;
    const inside = join(path, entry.name);
    if (entry.isDirectory()) yield* filesBelow(home, inside);
    else if (entry.isFile()) yield join(home, inside);
  }
}

function nothing(error: unknown): readonly string[] {
  if (isMissing(error)) return [];
  throw error;
}
