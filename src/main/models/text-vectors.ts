import { availableParallelism } from 'node:os';
import { noVectorModel, vectorsOff } from '@shared/documents/document-search.ts';
import { messageOf } from '@shared/errors.ts';
import type { LlamaEngine, LlamaEngineOptions } from './engine/llama-engine.ts';
import { createLlamaEngine } from './engine/llama-engine.ts';
import type { LoadOptions } from './engine/worker/worker-protocol.ts';
import type { FileDigests } from './files/file-digests.ts';
import type { ModelStore } from './files/model-store.ts';
import type { StoredModel } from './files/stored-model.ts';

/** Where no model can be used, a sentence says why. */
export type ChosenVectorModel = { readonly model: VectorModel } | { readonly why: string };

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

/**
 * Makes vectors of texts on this machine: on its processor, or by a server that was chosen for it. Texts go to no other
 * machine.
 */
export interface TextVectors {
  /** The model that the settings choose; by itself, the smallest embedding model that is here. May hash its file. */
  readonly model: (signal: AbortSignal) => Promise<ChosenVectorModel>;
  /** Why a search cannot use this `searchModel`, as far as it shows without a call. Null: nothing is wrong with it. */
  readonly problem: (asked: string) => Promise<string | null>;
  /** The end of a text that is too long for the model is left out. Rejects after an abort. */
  readonly read: (
    texts: readonly string[],
    how: { readonly model: VectorModel; readonly use: VectorUse },
    signal: AbortSignal,
  ) => Promise<TextVectorsReply>;
  readonly dispose: () => Promise<void>;
}

/**
 * Vectors by a server of this machine: an Ollama, or one that speaks OpenAI's language. Texts of documents go to no
 * other machine, whatever the settings say, because whoever searches is not asked about each of them.
 */
export interface ServedVectors {
  /** `id` is `PROVIDER/MODEL`. */
  readonly find: (id: string, signal: AbortSignal) => Promise<ChosenVectorModel>;
  /** Why no server can make vectors under this id, whatever it answers. Null: one may. */
  readonly problem: (id: string) => string | null;
  /** As `read` of `TextVectors`, for a model that was found. Null: it was not found here. */
  readonly read: (texts: readonly string[], digest: string, signal: AbortSignal) => Promise<TextVectorsReply | null>;
}

export interface TextVectorsOptions {
  /** Of its own, so that no other model has to leave its memory. */
  readonly engine: Pick<LlamaEngine, 'embed' | 'loadedPath' | 'dispose'>;
  readonly store: Pick<ModelStore, 'list'>;
  readonly digests: Pick<FileDigests, 'of'>;
  readonly freeHostBytes: (signal: AbortSignal) => Promise<number>;
  /** `searchModel` of the settings. Absent: `auto`. */
  readonly chosen?: () => string;
  /** Absent: servers are not asked. */
  readonly served?: ServedVectors;
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
  // Of this family, bge-m3 and others that came later take none.
  [/\bbge-(?:small|base|large)-zh\b/iu, { question: '为这个句子生成表示以用于检索相关文章：', text: '' }],
  [
    /\bbge-(?:small|base|large)\b/iu,
    { question: 'Represent this sentence for searching relevant passages: ', text: '' },
  ],
  [/\be5-/iu, { question: 'query: ', text: 'passage: ' }],
];

/** It loads a small model in a second, so its process ends soon after its last call. */
const idleMs = 60_000;

export function openTextVectors(engine: LlamaEngineOptions, rest: Omit<TextVectorsOptions, 'engine'>): TextVectors {
  return createTextVectors({ ...rest, engine: createLlamaEngine({ ...engine, idleMs: () => idleMs, isPolite: true }) });
}

const ownFiles = 'llama-cpp/';

export function createTextVectors(options: TextVectorsOptions): TextVectors {
  const { engine, store, digests, freeHostBytes, chosen = () => 'auto', served } = options;
  const files = new Map<string, StoredModel & { readonly path: string }>();
  const fileFor = async (
    asked: string,
  ): Promise<(StoredModel & { readonly path: string }) | { readonly why: string }> => {
    const here = (await store.list()).flatMap((one) =>
      one.use === 'vectors' && one.isInstalled && one.path !== null ? [{ ...one, path: one.path }] : [],
    );
    const fitting = asked === 'auto' ? here : here.filter(({ name }) => name === asked.slice(ownFiles.length));
    const [file] = fitting.toSorted((one, other) => (one.bytes ?? Infinity) - (other.bytes ?? Infinity));
    return file ?? { why: asked === 'auto' ? noVectorModel : notHere(asked, here) };
  };
  const isServed = (asked: string): boolean => asked !== 'auto' && !asked.startsWith(ownFiles);
  const model: TextVectors['model'] = async (signal) => {
    const asked = chosen();
    if (asked === 'off') return { why: vectorsOff };
    if (isServed(asked)) return (await served?.find(asked, signal)) ?? { why: noVectorModel };
    const file = await fileFor(asked);
    if ('why' in file) return file;
    const [first = file.path, ...rest] = file.files;
    const digest = await digests.of([first, ...rest], signal);
    signal.throwIfAborted();
    files.set(digest, file);
    return { model: { label: file.label, digest } };
  };
  return {
    model,
    // Without a choice, a search by words alone is as it should be.
    problem: async (asked) => {
      if (asked === 'off' || asked === 'auto') return null;
      if (isServed(asked)) return served?.problem(asked) ?? null;
      const file = await fileFor(asked);
      return 'why' in file ? file.why : null;
    },
    read: async (texts, { model: { digest, label }, use }, signal) => {
      const file = files.get(digest);
      const input = texts.map((text) => `${beginningFor(label, file?.name ?? label)[use]}${text}`);
      if (file === undefined)
        return (await served?.read(input, digest, signal)) ?? { ok: false, why: 'The embedding model is not here.' };
      const needed = (file.bytes ?? file.hereBytes) + ownBytes;
      if (engine.loadedPath() !== file.path && (await freeHostBytes(signal)) < needed)
        return { ok: false, why: `There is not enough free memory for ${file.label} now.` };
      try {
        const read = await engine.embed(loadOf(file), { query: null, texts: input, isCut: true }, signal);
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

function notHere(asked: string, here: readonly StoredModel[]): string {
  const names = here.map(({ name }) => `${ownFiles}${name}`).join(', ');
  const others = names === '' ? 'There is no embedding model here.' : `Here are ${names}.`;
  return `${asked} is no embedding model that is here. ${others} Choose with \`dewpoint settings set searchModel\`.`;
}

const noBeginning: Readonly<Record<VectorUse, string>> = { question: '', text: '' };

function beginningFor(label: string, file: string): Readonly<Record<VectorUse, string>> {
  return beginnings.find(([name]) => name.test(label) || name.test(file))?.[1] ?? noBeginning;
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
