import type { LlamaContext, LlamaContextOptions, LlamaContextSequence, LlamaModel } from 'node-llama-cpp';
import { noteFailure } from '../../../../lib/log.ts';

/** Sequences of one context that are decoded in the same step. */
export interface ParallelSequences {
  /** The first one still holds what it read last. */
  readonly sequences: readonly LlamaContextSequence[];
  /** Marks them as unused. */
  release(): void;
}

/**
 * Sequences for parallel answers, apart from those of conversations. Created on demand, and freed a while after use.
 */
export interface ParallelSequencePool {
  /** Null if memory has no room now. Then answers only take longer. `tokens` is for each sequence. */
  open(size: ParallelSequenceSize): Promise<ParallelSequences | null>;
  dispose(): Promise<void>;
}

export interface ParallelSequenceSize {
  readonly count: number;
  readonly tokens: number;
}

/** The processor computes this many tokens at once, so five cost about as much as eight. */
export const rowsAtOnce = 4;

/** The share of free memory that may be used. The rest is for the project's tests. */
const mostShare = 0.5;
/** The engine rounds a context up to a multiple of this. */
const granularity = 256;
/** A search asks again within seconds. */
const keptMs = 60_000;

/** The options that all contexts of one load share. */
export type ContextCells = Pick<
  LlamaContextOptions,
  'experimentalKvCacheKeyType' | 'experimentalKvCacheValueType' | 'flashAttention' | 'lora'
>;

interface Made {
  readonly size: ParallelSequenceSize;
  readonly context: LlamaContext;
  readonly sequences: readonly LlamaContextSequence[];
}

export function createParallelSequencePool(model: LlamaModel, cells: ContextCells): ParallelSequencePool {
  let made: Made | null = null;
  let timer: NodeJS.Timeout | null = null;
  const stopTimer = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const dispose = async (): Promise<void> => {
    stopTimer();
    const old = made;
    made = null;
    await old?.context.dispose();
  };
  const grow = async ({ count, tokens }: ParallelSequenceSize): Promise<Made | null> => {
    const size = { count: Math.max(count, made?.size.count ?? 0), tokens: Math.max(tokens, made?.size.tokens ?? 0) };
    await dispose();
    made = (await makeContext(model, cells, size)) ?? (await makeContext(model, cells, { count, tokens }));
    return made;
  };
  return {
    async open(size) {
      stopTimer();
      const fits = made !== null && made.size.count >= size.count && made.size.tokens >= size.tokens;
      const room = fits ? made : await grow(size);
      if (room === null) return null;
      return {
        sequences: room.sequences.slice(0, size.count),
        release: () => {
          stopTimer();
          timer = setTimeout(() => void dispose(), keptMs);
          timer.unref();
        },
      };
    },
    dispose,
  };
}

async function makeContext(model: LlamaModel, cells: ContextCells, wanted: ParallelSequenceSize): Promise<Made | null> {
  const tokens = Math.ceil(wanted.tokens / granularity) * granularity;
  const size = { ...cells, contextSize: tokens, sequences: wanted.count, batchSize: granularity };
  const { cpuRam } = await model.fileInsights.estimateContextResourceRequirementsV2({
    ...size,
    modelGpuLayers: model.gpuLayers,
  });
  if (cpuRam > process.availableMemory() * mostShare) return null;
  try {
    const context = await model.createContext({
      ...size,
      failedCreationRemedy: false,
      // All sequences ask for their next token in the same turn of the event loop and are computed together after it.
      batching: { dispatchSchedule: (dispatch) => void setImmediate(dispatch) },
    });
    const sequences = Array.from({ length: wanted.count }, () => context.getSequence());
    return { size: { count: wanted.count, tokens }, context, sequences };
  } catch (error) {
    // Usually memory is short. The caller can do without.
    noteFailure('engine: no room for answers in parallel', error);
    return null;
  }
}
