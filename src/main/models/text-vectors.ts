import { availableParallelism } from 'node:os';
import { messageOf } from '@shared/errors.ts';
import type { LlamaEngine, LlamaEngineOptions } from './engine/llama-engine.ts';
import { createLlamaEngine } from './engine/llama-engine.ts';
import type { LoadOptions } from './engine/worker/worker-protocol.ts';
import type { FileDigests } from './files/file-digests.ts';
import type { ModelStore } from './files/model-store.ts';
import type { StoredModel } from './files/stored-model.ts';

/** An embedding model of this machine. Vectors of another digest cannot be compared with its own. */
export interface VectorModel {
  readonly label: string;
  readonly digest: string;
}

/** A question looks for texts. Some models want to be told which of both a text is. */
export type VectorUse = 'question' | 'text';

export type TextVectorsReply =
  /** One vector of length 1 for each text, in order, as 32-bit numbers in base64. */
  { readonly ok: true; readonly rows: readonly string[] } | { readonly ok: false; readonly why: string };

/** Makes vectors of texts on this machine's processor. Texts go nowhere else, and no card is used. */
export interface TextVectors {
  /** The smallest embedding model that is here. Null: there is none. May hash its file. */
  readonly model: (signal: AbortSignal) => Promise<VectorModel | null>;
  /** The end of a text that is too long for the model is left out. Rejects after an abort. */
  readonly read: (
    texts: readonly string[],
    how: { readonly model: VectorModel; readonly use: VectorUse },
    signal: AbortSignal,
  ) => Promise<TextVectorsReply>;
  readonly dispose: () => Promise<void>;
}

export interface TextVectorsOptions {
  /** Of its own, so that no other model has to leave its memory. */
  readonly engine: Pick<LlamaEngine, 'embed' | 'loadedPath' | 'dispose'>;
  readonly store: Pick<ModelStore, 'list'>;
  readonly digests: Pick<FileDigests, 'of'>;
  readonly freeHostBytes: (signal: AbortSignal) => Promise<number>;
}

/** Longer texts cost more memory for each token, and say less in one vector. */
const contextTokens = 512;
/** For the process itself and what it computes with, beside the weights. */
const ownBytes = 256 * 1024 * 1024;

/** What models were trained to find in front of a text, by their names. */
const beginnings: readonly (readonly [RegExp, Readonly<Record<VectorUse, string>>])[] = [
  [/nomic-embed/iu, { question: 'search_query: ', text: 'search_document: ' }],
  [/qwen3-embedding/iu, { question: 'Instruct: Find the passages that answer the question\nQuery: ', text: '' }],
  [/embedding-?gemma/iu, { question: 'task: search result | query: ', text: 'title: none | text: ' }],
  [/\bbge-/iu, { question: 'Represent this sentence for searching relevant passages: ', text: '' }],
  [/\be5-/iu, { question: 'query: ', text: 'passage: ' }],
];

/** It loads a small model in a second, so its process ends soon after its last call. */
const idleMs = 60_000;

export function openTextVectors(engine: LlamaEngineOptions, rest: Omit<TextVectorsOptions, 'engine'>): TextVectors {
  return createTextVectors({ ...rest, engine: createLlamaEngine({ ...engine, idleMs: () => idleMs, isPolite: true }) });
}

export function createTextVectors({ engine, store, digests, freeHostBytes }: TextVectorsOptions): TextVectors {
  const files = new Map<string, StoredModel & { readonly path: string }>();
  const model: TextVectors['model'] = async (signal) => {
    const here = (await store.list()).flatMap((one) =>
      one.use === 'vectors' && one.isInstalled && one.path !== null ? [{ ...one, path: one.path }] : [],
    );
    const [file] = here.toSorted((one, other) => (one.bytes ?? Infinity) - (other.bytes ?? Infinity));
    if (file === undefined) return null;
    const [first = file.path, ...rest] = file.files;
    const digest = await digests.of([first, ...rest], signal);
    signal.throwIfAborted();
    files.set(digest, file);
    return { label: file.label, digest };
  };
  return {
    model,
    read: async (texts, { model: { digest }, use }, signal) => {
      const file = files.get(digest);
      if (file === undefined) return { ok: false, why: 'The embedding model is not here.' };
      const needed = (file.bytes ?? file.hereBytes) + ownBytes;
      if (engine.loadedPath() !== file.path && (await freeHostBytes(signal)) < needed)
        return { ok: false, why: `There is not enough free memory for ${file.label} now.` };
      const [, front] = beginnings.find(([name]) => name.test(file.label) || name.test(file.name)) ?? [];
      const request = { query: null, texts: texts.map((text) => `${front?.[use] ?? ''}${text}`), isCut: true };
      try {
        const read = await engine.embed(loadOf(file), request, signal);
        signal.throwIfAborted();
        return read.ok ? { ok: true, rows: read.rows } : { ok: false, why: read.error.message };
      } catch (error) {
        signal.throwIfAborted();
        return { ok: false, why: messageOf(error) };
      }
    },
    dispose: engine.dispose,
  };
}

function loadOf({
  path,
  contextTokens: trained,
}: {
  readonly path: string;
  readonly contextTokens: number | null;
}): LoadOptions {
  return {
    modelPath: path,
    contextTokens: Math.min(contextTokens, trained ?? contextTokens),
    sequences: 1,
    // Others work meanwhile, and many threads would wait for each other.
    threads: Math.max(1, Math.floor(availableParallelism() / 4)),
    gpu: 'off',
    gpuLayers: 0,
    cacheType: 'f16',
    stateDir: null,
    use: 'vectors',
  };
}
