import { stat } from 'node:fs/promises';
import { success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { withAdapterWeights } from '../estimate/model-memory.ts';
import { readGguf } from './read-gguf.ts';
import type { GgufHeader } from './read-gguf.ts';
import { filesOf } from '../../files/split-model-files.ts';

/** Reads the header of a model file. Fails as `readGguf` does. */
export type ReadHeader = (path: string) => Promise<Reply<GgufHeader>>;

/** A header with its vocabulary has megabytes. Little of each is kept, but the number is limited. */
const mostKept = 64;

/**
 * Reads each file once while its size and time are unchanged. Every call of a model asks for its header, and parsing
 * one takes tens of milliseconds. A file that could not be read is tried again each time.
 */
export function createHeaderReader(read: ReadHeader = readGguf): ReadHeader {
  const kept = new Map<string, { readonly stamp: string; readonly reply: Promise<Reply<GgufHeader>> }>();
  return async (path) => {
    const stamp = await stampOf(path);
    const known = kept.get(path);
    if (stamp !== null && known?.stamp === stamp) return known.reply;
    const reply = read(path);
    if (stamp !== null) keep(kept, path, { stamp, reply });
    const result = await reply;
    if (!result.ok && kept.get(path)?.reply === reply) kept.delete(path);
    return result;
  };
}

/** Reads a model with an adapter. Its weights are those of both. Fails if one of the two cannot be read. */
export async function readAdapted(
  read: ReadHeader,
  path: string,
  adapterPath: string | undefined,
): Promise<Reply<GgufHeader>> {
  const base = await read(path);
  if (adapterPath === undefined || !base.ok) return base;
  const adapter = await read(adapterPath);
  if (!adapter.ok) return adapter;
  const { facts } = base.value;
  const weights = withAdapterWeights(facts.weights, adapter.value.facts.weights);
  return success({ ...base.value, facts: { ...facts, weights } });
}

/** Drops the oldest entry first. */
function keep<T>(kept: Map<string, T>, path: string, value: T): void {
  kept.delete(path);
  kept.set(path, value);
  const oldest = kept.keys().next();
  if (kept.size > mostKept && oldest.done !== true) kept.delete(oldest.value);
}

/** A stamp that changes when a model's files do. Null if there is no file. */
export async function stampOf(path: string): Promise<string | null> {
  const stamps = await Promise.all(filesOf(path).map(stampOfFile));
  return stamps[0] === null ? null : stamps.join(' ');
}

async function stampOfFile(path: string): Promise<string | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size} ${mtimeMs}`;
  } catch {
    // Without a stamp the header is read, which reports what is wrong.
    return null;
  }
}
