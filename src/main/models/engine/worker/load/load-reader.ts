import type { LlamaModel } from 'node-llama-cpp';
import { openLibrary } from './open-library.ts';
import { openWeights } from './load-model.ts';
import type { EmbedRequest, LoadOptions, LoadedModel } from '../worker-protocol.ts';

/** One row for each text: a vector or one score, as the bytes of 32-bit numbers. */
export interface TextRows {
  readonly rows: readonly string[];
  readonly tokens: number;
}

/** A model that makes vectors of texts, or scores how well they fit a query. */
export interface TextReader {
  readonly info: LoadedModel;
  /** Stops between two texts after an abort. Throws the engine's errors, and `TooLongError`. */
  readonly read: (request: EmbedRequest, signal: AbortSignal) => Promise<TextRows | null>;
  readonly dispose: () => Promise<void>;
}

/** Thrown before anything is computed. */
export class TooLongError extends Error {}

/** The batch size for models that use the last token's vector. All others must compute a text at once. */
const batchTokens = 512;

/** Throws the engine's errors. After an error, nothing of the model is in memory. */
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

/** Whether the model uses the last token's vector, which is pooling type 3 in the header. */
function poolsLast(model: LlamaModel): boolean {
  const { architecture } = model.fileInfo.metadata.general;
  const own: unknown = Reflect.get(model.fileInfo.metadata, architecture);
  return Reflect.get(Object(own), 'pooling_type') === 3;
}

async function createVectors(model: LlamaModel, size: ReaderSize): Promise<Work> {
  const context = await model.createEmbeddingContext(size);
  return {
    read: ({ texts, isCut }, signal) => {
      const tokens = (text: string): number => context.calculateInputLength(text);
      const read = isCut === true ? texts.map((text) => cutToFit(text, size.contextSize, tokens)) : texts;
      return readEach(read, size, signal, {
        tokens,
        row: async (text) => unit((await context.getEmbeddingFor(text)).vector),
      });
    },
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

/** Leaves out as much of the end as is too long, by the length of a token in this text. */
function cutToFit(text: string, contextSize: number, tokens: (text: string) => number): string {
  let cut = text;
  for (let count = tokens(cut); count >= contextSize && cut.length > 1; count = tokens(cut))
    cut = cut.slice(0, Math.max(1, Math.floor((cut.length * (contextSize - 1) * 0.95) / count)));
  return cut;
}

/** Checks all lengths first, so that a list is read as a whole or not at all. Null: it was stopped. */
async function readEach(
  texts: readonly string[],
  { contextSize }: ReaderSize,
  signal: AbortSignal,
  how: { readonly tokens: (text: string) => number; readonly row: (text: string) => Promise<readonly number[]> },
): Promise<TextRows | null> {
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

/** Scales a vector to length 1, so that the product of two is their similarity. Clients rely on that. */
function unit(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
