import type { CacheType, EngineProfile, MemoryEstimate } from '@shared/models/memory-estimate.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { computeBytes, readComputeShape } from './compute-memory.ts';
import type { ComputeShape } from './compute-memory.ts';
import { contextTerms, countCells } from './context-memory.ts';
import type { ContextRequest } from './context-memory.ts';
import { readContextShape } from './layer-shapes.ts';
import type { ContextShape } from './layer-shapes.ts';
import { createKeyReader } from '../gguf/gguf-keys.ts';
import type { GgufKeys, KeyReader } from '../gguf/gguf-keys.ts';

/** The sizes of a file's weights, from the header's list of tensors, or only their sum. */
export interface ModelWeights {
  readonly totalBytes: number;
  /** The input embeddings, which are only looked up on the host and never computed with. Null: unknown. */
  readonly inputBytes: number | null;
  /** The input embeddings are also the output, so a device needs its own copy. Null: unknown. */
  readonly isTied: boolean | null;
  /** The file that the sum belongs to, if it is not this one. Absent for a file that was read. */
  readonly estimateOf?: string | undefined;
  /**
   * The most bytes that the built-in engine copies into a layout for the processor. They need memory of their own
   * beside the mapped file, whose pages of the same weights can then be dropped. Not every processor has such a
   * layout.
   */
  readonly copiedBytes?: number;
  /** The adapter's part of them, each beside the weight that it changes. Absent: no adapter. */
  readonly adapterBytes?: number;
  /** The largest tensor in a repeating layer. Absent: unknown. */
  readonly largestBytes?: number | undefined;
  /** The repeating layers in order. Null if only the sum is known. */
  readonly layers: readonly { readonly bytes: number; readonly expertBytes: number }[] | null;
}

/** What is known of a model before it is loaded. */
export interface ModelFacts {
  readonly keys: GgufKeys;
  /** The number of tokens in the vocabulary, for files without `vocab_size`. */
  readonly vocabulary: number | null;
  readonly weights: ModelWeights | null;
}

/** A model whose memory can be computed. */
export interface ModelMemory {
  readonly architecture: string;
  readonly context: ContextShape;
  readonly compute: ComputeShape;
  readonly weights: ModelWeights | null;
  readonly layerCount: number;
  /** The context size that it was trained for. Null if the header does not say. */
  readonly trainedTokens: number | null;
  readonly headWidths: readonly number[];
  /** The share of experts in a layer's weights, by the sizes in the header. 0 for a dense model. */
  readonly expertShare: number;
  /** The header names a window shorter than the trained context size, whether or not the family uses it. */
  readonly namesWindow: boolean;
}

export type ModelMemoryResult =
  | { readonly known: true; readonly memory: ModelMemory }
  | { readonly known: false; readonly why: string };

/**
 * The model's weights with an adapter. Each pair is placed with the weight that it changes. Null if sizes are
 * unknown.
 */
export function withAdapterWeights(base: ModelWeights | null, adapter: ModelWeights | null): ModelWeights | null {
  if (base === null || adapter === null) return null;
  const layers = base.layers?.map(({ bytes, expertBytes }, index) => ({
    bytes: bytes + (adapter.layers?.[index]?.bytes ?? 0),
    expertBytes: expertBytes + (adapter.layers?.[index]?.expertBytes ?? 0),
  }));
  const adapterBytes = adapter.totalBytes;
  return { ...base, totalBytes: base.totalBytes + adapterBytes, adapterBytes, layers: layers ?? null };
}

export function readModelMemory({ keys, vocabulary, weights }: ModelFacts): ModelMemoryResult {
  const reader = createKeyReader(keys);
  if (reader === null) return { known: false, why: 'The header does not say what kind of model it is.' };
  const context = readContextShape(reader);
  if (!context.known) return context;
  const compute = readComputeShape(reader, { vocabulary, context: context.shape });
  if (compute === null) return { known: false, why: 'The header does not say how large the vocabulary is.' };
  const heads = compute.heads === 0 ? 1 : compute.heads;
  return {
    known: true,
    memory: {
      architecture: reader.architecture,
      context: context.shape,
      compute,
      weights,
      layerCount: reader.number('block_count') ?? 0,
      trainedTokens: reader.number('context_length'),
      headWidths: [compute.queryWidth / heads, compute.valueOutWidth / heads],
      namesWindow: namesWindow(reader),
      expertShare: expertShare(compute, reader.number('expert_count') ?? 0),
    },
  };
}

/** `GgufInsights.swaSize` of node-llama-cpp. */
function namesWindow(reader: KeyReader): boolean {
  const window = reader.number('attention.sliding_window') ?? 0;
  return window > 0 && window < (reader.number('context_length') ?? Number.POSITIVE_INFINITY);
}

/** The context as the engine makes it. For models with a window, node-llama-cpp makes batches one token longer. */
export function engineContext(memory: ModelMemory, engine: EngineProfile, context: ContextRequest): ContextRequest {
  const isLonger = engine === 'node-llama-cpp' && memory.namesWindow;
  return isLonger ? { ...context, ubatchTokens: context.ubatchTokens + 1 } : context;
}

/** The share of experts, with three matrices for each, beside those of attention. */
function expertShare({ width, queryWidth, keyWidth, valueOutWidth, experts }: ComputeShape, count: number): number {
  if (experts === null || count === 0) return 0;
  const attention = width * (queryWidth + 2 * keyWidth + valueOutWidth);
  const all = count * 3 * width * experts.feedForward;
  return all / (all + attention);
}

export interface EstimateOptions {
  readonly context: ContextRequest;
  readonly engine: EngineProfile;
  /** The result of a dry run of the engine with the same options. It replaces the formula. */
  readonly measuredComputeBytes?: number | null;
}

/** Bytes of one context of a model, each term with its reason. */
export function estimateMemory(memory: ModelMemory, options: EstimateOptions): MemoryEstimate {
  const { engine } = options;
  const context = engineContext(memory, engine, options.context);
  const kept = contextTerms(memory.context, context).map((term) => ({ ...term, certainty: 'exact' as const }));
  const recurrentBytes = kept.find((term) => term.name === 'recurrent')?.bytes ?? 0;
  const contextBytes = kept.reduce((sum, term) => sum + term.bytes, 0);
  const measured = options.measuredComputeBytes ?? null;
  // A dry run does not include adapters.
  const isBounded = measured === null || memory.weights?.adapterBytes !== undefined;
  const compute = measured ?? computeBytes(memory.compute, countCells(memory.context, context), context, engine);
  const adapterBytes = memory.weights?.adapterBytes ?? 0;
  const weightsBytes = memory.weights === null ? null : memory.weights.totalBytes - adapterBytes;
  return {
    kvBytes: contextBytes - recurrentBytes,
    recurrentBytes,
    contextBytes,
    computeBytes: compute,
    weightsBytes,
    totalBytes: weightsBytes === null ? null : weightsBytes + adapterBytes + contextBytes + compute,
    certainty: isBounded || weightsBytes === null || memory.weights?.estimateOf !== undefined ? 'bounded' : 'exact',
    terms: [
      ...(weightsBytes === null
        ? []
        : [
            {
              name: 'weights',
              bytes: weightsBytes,
              why: weightsReason(memory.weights),
              certainty: memory.weights?.estimateOf === undefined ? ('exact' as const) : ('bounded' as const),
            },
          ]),
      ...(adapterBytes === 0 ? [] : [adapterTerm(adapterBytes)]),
      ...kept,
      {
        name: 'compute',
        bytes: compute,
        why:
          measured === null
            ? `${engine}, batch of ${Math.min(context.ubatchTokens, context.contextTokens)}: ${computeSource(memory)}`
            : `${engine}: a dry run of the engine itself${adapterBytes === 0 ? '' : ', without the adapter'}`,
        certainty: isBounded ? 'bounded' : 'exact',
      },
    ],
  };
}

const adapterTerm = (bytes: number) =>
  ({ name: 'adapter', bytes, why: 'its weights, each beside the one that it changes', certainty: 'exact' }) as const;

function computeSource({ compute }: ModelMemory): string {
  return compute.graph === null
    ? 'from the phases of a graph, in most cases within 6 % of the context'
    : 'step by step through the graph of its family, within 6 % of the context';
}

function weightsReason(weights: ModelWeights | null): string {
  if (weights?.estimateOf !== undefined) return weights.estimateOf;
  if (weights === null || weights.inputBytes === null) return 'the whole file';
  return weights.isTied === true
    ? 'the whole file; a device needs all of it, and the host a copy of the embeddings'
    : `the whole file; ${sizeText(weights.inputBytes)} of embeddings stay on the host`;
}

/** The answer for a model that no rule covers. Its unknown figures are null and never numbers. */
export function unknownMemory(weightsBytes: number | null): MemoryEstimate {
  return {
    kvBytes: null,
    recurrentBytes: null,
    contextBytes: null,
    computeBytes: null,
    weightsBytes,
    totalBytes: null,
    certainty: 'unknown',
    terms: [],
  };
}

/**
 * Whether a quantized cache is acceptable for the family. With q8_0, gpt-oss loses its best token in a quarter of
 * all cases.
 */
export function mayQuantise(memory: ModelMemory, type: CacheType): boolean {
  return type !== 'q8_0' || memory.architecture !== 'gpt-oss';
}
