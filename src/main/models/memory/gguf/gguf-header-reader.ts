import { stat } from 'node:fs/promises';
import { success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { withAdapterWeights } from '../estimate/model-memory.ts';
import { readGguf } from './read-gguf.ts';
import type { GgufHeader } from './read-gguf.ts';
import { filesOf } from '../../files/split-model-files.ts';

/** The header of a model file; failures as `readGguf` has them. */
export type ReadHeader = (path: string) => Promise<Reply<GgufHeader>>;

/** Headers with their vocabularies are parsed from megabytes; what is kept of each is small, but not nothing. */
const mostKept = 64;

/**
 * Reads each file once for as long as its size and time are the same: every call of a model asks for its header, and
 * parsing one takes tens of milliseconds. A file that could not be read is looked at anew each time.
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

/** Of a model with an adapter: its weights are those of both. Fails where one of the two cannot be read. */
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

/** The oldest goes first. */
function keep<T>(kept: Map<string, T>, path: string, value: T): void {
  kept.delete(path);
  kept.set(path, value);
  const oldest = kept.keys().next();
  if (kept.size > mostKept && oldest.done !== true) kept.delete(oldest.value);
}

/** What changes when a model's files do; null where there is none. */
export async function stampOf(path: string): Promise<string | null> {
  const stamps = await Promise.all(filesOf(path).map(stampOfFile));
  return stamps[0] === null ? null : stamps.join(' ');
}

async function stampOfFile(path: string): Promise<string | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size} ${mtimeMs}`;
  } catch {
    // Without a mark the header is read, and that reports what is wrong.
    return null;
  }
}
