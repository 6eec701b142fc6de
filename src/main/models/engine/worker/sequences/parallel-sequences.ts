import type { LlamaContext, LlamaContextOptions, LlamaContextSequence, LlamaModel } from 'node-llama-cpp';

/** Sequences of one context that are decoded in the same step. */
export interface ParallelSequences {
  /** The first one still holds what it read last. */
  readonly sequences: readonly LlamaContextSequence[];
  /** They are not needed for now. */
  release(): void;
}

/** Room for answers side by side, apart from the talks: made when it is needed, and given back a while after. */
export interface ParallelSequencePool {
  /** Null where memory has no room for it now, which costs time and nothing else. `tokens`: of each sequence. */
  open(size: ParallelSequenceSize): Promise<ParallelSequences | null>;
  dispose(): Promise<void>;
}

export interface ParallelSequenceSize {
  readonly count: number;
  readonly tokens: number;
}

/** The processor reads rows of this many tokens at once: five cost about as much as eight. */
export const rowsAtOnce = 4;

/** Of the memory that is free: what is left is for the tests of the project. */
const mostShare = 0.5;
/** What the engine rounds a context up to. */
const granularity = 256;
/** A search asks again within seconds. */
const keptMs = 60_000;

/** What all contexts of one load have in common. */
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
      // All of them ask for their next token in the same turn of the loop, and are read together after it.
      batching: { dispatchSchedule: (dispatch) => void setImmediate(dispatch) },
    });
    const sequences = Array.from({ length: wanted.count }, () => context.getSequence());
    return { size: { count: wanted.count, tokens }, context, sequences };
  } catch {
    // Mostly there is no memory for it: the caller does without.
    return null;
  }
}
