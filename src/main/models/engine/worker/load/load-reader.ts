import type { LlamaModel } from 'node-llama-cpp';
import { openLibrary } from './open-library.ts';
import { openWeights } from './load-model.ts';
import type { EmbedRequest, LoadOptions, LoadedModel } from '../worker-protocol.ts';

/** What reading gave of each text, as the bytes of 32-bit numbers: a vector, or one score. */
export interface TextsRead {
  readonly rows: readonly string[];
  readonly tokens: number;
}

/** A model that answers nothing: it makes vectors of texts, or says how well texts fit a question. */
export interface TextReader {
  readonly info: LoadedModel;
  /** Stops between two texts. Throws what the engine throws, and `TooLongError`. */
  readonly read: (request: EmbedRequest, signal: AbortSignal) => Promise<TextsRead | null>;
  readonly dispose: () => Promise<void>;
}

/** Nothing was computed. */
export class TooLongError extends Error {}

/** Tokens that are computed at once where the vector is that of the last one; else a text has to be computed whole. */
const batchTokens = 512;

/** Throws what the engine throws; nothing of the model is left in memory then. */
export async function loadReader(
  options: LoadOptions,
  onProgress: (fraction: number) => void,
  onLog: (line: string) => void,
): Promise<TextReader> {
  const startedAt = performance.now();
  // The package is ESM only, and this file is built as CommonJS.
  const library = await import('node-llama-cpp');
  const llama = await openLibrary(options.gpu);
  llama.logger = (_level, line) => onLog(line);
  llama.logLevel = library.LlamaLogLevel.error;
  const { model, threads } = await openWeights({ library, llama }, options, onProgress);
  try {
    const contextSize = Math.min(options.contextTokens, model.trainContextSize);
    const size = {
      contextSize,
      batchSize: poolsLast(model) ? Math.min(batchTokens, contextSize) : contextSize,
      threads,
    };
    const work = options.use === 'scores' ? await createScoring(model, size) : await createVectors(model, size);
    return {
      read: work.read,
      info: {
        contextTokens: contextSize,
        sequences: 1,
        threads,
        backend: llama.gpu !== false && model.gpuLayers > 0 ? String(llama.gpu) : 'cpu',
        template: 'model',
        observedBytes: null,
        loadMs: performance.now() - startedAt,
      },
      dispose: async () => {
        await work.dispose();
        await model.dispose();
      },
    };
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

interface ReaderSize {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly threads: number;
}

type Work = Pick<TextReader, 'read' | 'dispose'>;

/** As the header says how the vectors of tokens become one: 3 is the last token's. */
function poolsLast(model: LlamaModel): boolean {
  const { architecture } = model.fileInfo.metadata.general;
  const own: unknown = Reflect.get(model.fileInfo.metadata, architecture);
  return Reflect.get(Object(own), 'pooling_type') === 3;
}

async function createVectors(model: LlamaModel, size: ReaderSize): Promise<Work> {
  const context = await model.createEmbeddingContext(size);
  return {
    read: ({ texts }, signal) =>
      readEach(texts, size, signal, {
        tokens: (text) => context.calculateInputLength(text),
        row: async (text) => unit((await context.getEmbeddingFor(text)).vector),
      }),
    dispose: () => context.dispose(),
  };
}

async function createScoring(model: LlamaModel, size: ReaderSize): Promise<Work> {
  const context = await model.createRankingContext(size);
  return {
    read: ({ query, texts }, signal) =>
      readEach(texts, size, signal, {
        tokens: (text) => context.calculateInputLength(query ?? '', text),
        row: async (text) => [await context.rank(query ?? '', text)],
      }),
    dispose: () => context.dispose(),
  };
}

/** All lengths come first: a list is read whole or not at all. Null: it was stopped. */
async function readEach(
  texts: readonly string[],
  { contextSize }: ReaderSize,
  signal: AbortSignal,
  how: { readonly tokens: (text: string) => number; readonly row: (text: string) => Promise<readonly number[]> },
): Promise<TextsRead | null> {
  const lengths = texts.map(how.tokens);
  const long = lengths.findIndex((length) => length >= contextSize);
  if (long >= 0) {
    throw new TooLongError(
      `Text ${long + 1} has ${lengths[long] ?? 0} tokens, and this model reads fewer than ${contextSize} at once.`,
    );
  }
  const rows: string[] = [];
  for (const text of texts) {
    if (signal.aborted) return null;
    const row = Float32Array.from(await how.row(text));
    rows.push(Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64'));
  }
  return { rows, tokens: lengths.reduce((sum, length) => sum + length, 0) };
}

/** Of length 1, so that a product of two says how near they are; clients count on it. */
function unit(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
