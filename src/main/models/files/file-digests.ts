import { stampOf } from '../memory/gguf/gguf-header-reader.ts';
import { sha256OfFiles } from './hash-model-files.ts';
import type { ProbeCardStore } from './probe-card-store.ts';

/** Digests of model files; hashing gigabytes takes its time, so each is kept for as long as size and time are the same. */
export interface FileDigests {
  /** Null: it was not hashed yet. Reads no file. */
  readonly known: (path: string) => Promise<string | null>;
  /** Of a model in several files: of all of them, by the first. */
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
