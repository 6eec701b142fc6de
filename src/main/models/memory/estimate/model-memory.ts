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

/** Where the bytes of a file lie. From the header's list of tensors, or only their sum. */
export interface ModelWeights {
  readonly totalBytes: number;
  /** Looked up on the host for every token, never computed with: the input embeddings. Null: not known. */
  readonly inputBytes: number | null;
  /** The input embeddings are the output as well, and a device needs a copy of its own. Null: not known. */
  readonly isTied: boolean | null;
  /** What the sum is of, where it is not that of the very file; absent for one that was read. */
  readonly estimateOf?: string | undefined;
  /**
   * What the engine in this process copies into a layout of the processor's, where it runs there: memory of its own, beside the
   * mapped file, whose pages of the same weights may then go. At most so much, for not every processor has such a layout.
   */
  readonly copiedBytes?: number;
  /** The part of them that is an adapter's, each beside the weight that it changes; absent: there is none. */
  readonly adapterBytes?: number;
  /** Of the largest tensor in a repeating layer; absent: not known. */
  readonly largestBytes?: number | undefined;
  /** Repeating layers in their order; null where only the sum is known. */
  readonly layers: readonly { readonly bytes: number; readonly expertBytes: number }[] | null;
}

/** What is known of a model before it is loaded. */
export interface ModelFacts {
  readonly keys: GgufKeys;
  /** Entries of the tokenizer, for files without `vocab_size`. */
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
  /** The length it was trained for; null where the header does not say. */
  readonly trainedTokens: number | null;
  readonly headWidths: readonly number[];
  /** The part of a layer's weights that is experts, by the sizes in the header; 0 for a dense model. */
  readonly expertShare: number;
  /** The header names a window shorter than the trained length, whether or not the family uses it. */
  readonly namesWindow: boolean;
}

export type ModelMemoryResult =
  | { readonly known: true; readonly memory: ModelMemory }
  | { readonly known: false; readonly why: string };

/** The same model with an adapter: each pair lies where the weight lies that it changes. Null where sizes are unknown. */
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

/** The context as the engine makes it: node-llama-cpp makes batches a token longer for models with a window. */
export function asMade(memory: ModelMemory, engine: EngineProfile, context: ContextRequest): ContextRequest {
  const isLonger = engine === 'node-llama-cpp' && memory.namesWindow;
  return isLonger ? { ...context, ubatchTokens: context.ubatchTokens + 1 } : context;
}

/** Three matrices an expert, beside those of attention. */
function expertShare({ width, queryWidth, keyWidth, valueOutWidth, experts }: ComputeShape, count: number): number {
  if (experts === null || count === 0) return 0;
  const attention = width * (queryWidth + 2 * keyWidth + valueOutWidth);
  const all = count * 3 * width * experts.feedForward;
  return all / (all + attention);
}

export interface EstimateOptions {
  readonly context: ContextRequest;
  readonly engine: EngineProfile;
  /** Of a dry run of the engine with the same options, where there was one: takes the place of the formula. */
  readonly measuredComputeBytes?: number | null;
}

/** Bytes of one context of a model, every term with its reason. */
export function estimateMemory(memory: ModelMemory, options: EstimateOptions): MemoryEstimate {
  const { engine } = options;
  const context = asMade(memory, engine, options.context);
  const kept = contextTerms(memory.context, context).map((term) => ({ ...term, certainty: 'exact' as const }));
  const recurrentBytes = kept.find((term) => term.name === 'recurrent')?.bytes ?? 0;
  const contextBytes = kept.reduce((sum, term) => sum + term.bytes, 0);
  const measured = options.measuredComputeBytes ?? null;
  // A dry run knows no adapters.
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

/** The answer for a model that no rule covers. Never a number that looks like one. */
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

/** What a quantised cache does to the answers of a family: gpt-oss loses its best token in a quarter of all cases. */
export function mayQuantise(memory: ModelMemory, type: CacheType): boolean {
  return type !== 'q8_0' || memory.architecture !== 'gpt-oss';
}
