import { stampOf } from '../memory/gguf/gguf-header-reader.ts';
import { sha256OfFiles } from './hash-model-files.ts';
import type { ProbeCardStore } from './probe-card-store.ts';

/**
 * Digests of model files. Hashing gigabytes takes long, so a digest is kept while the file's size and time are
 * unchanged.
 */
export interface FileDigests {
  /** The kept digest. Null: not hashed yet. Reads no file. */
  readonly known: (path: string) => Promise<string | null>;
  /** The digest of a model. For a model in several files, it covers all of them and is kept under the first. */
  readonly of: (files: readonly [string, ...string[]], signal: AbortSignal) => Promise<string>;
}

export function createFileDigests(kept: Pick<ProbeCardStore, 'hashOf' | 'noteHash'>): FileDigests {
  const known = async (path: string): Promise<string | null> => kept.hashOf(await markOf(path));
  return {
    known,
    of: async (files, signal) => {
      const mark = await markOf(files[0]);
      const before = await kept.hashOf(mark);
      if (before !== null) return before;
      const digest = await sha256OfFiles(files, { signal, onProgress: () => undefined });
      await kept.noteHash(mark, digest);
      return digest;
    },
  };
}

async function markOf(path: string): Promise<string> {
  return `${path} ${(await stampOf(path)) ?? ''}`;
}
