import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';

/** The place of one conversation in the engine. */
export interface ConversationSlot<Sequence = LlamaContextSequence> {
  readonly sequence: Sequence;
  key: string | null;
  usedAt: number;
}

interface Context<Sequence> {
  readonly totalSequences: number;
  getSequence(options: NonNullable<Parameters<LlamaContext['getSequence']>[0]>): Sequence;
}

/**
 * Models that cannot go back (windows, recurrent states) keep copies of their state in host memory. This is the
 * limit for all conversations together. No memory plan includes it.
 */
const mostCheckpointBytes = 512 * 1024 * 1024;

/** All places of a context. */
export function openConversationSlots<Sequence>(context: Context<Sequence>): readonly ConversationSlot<Sequence>[] {
  const { totalSequences } = context;
  return Array.from({ length: totalSequences }, () => ({
    sequence: context.getSequence({
      contextShift: { strategy: refuseShift },
      checkpoints: { maxMemory: Math.floor(mostCheckpointBytes / totalSequences) },
    }),
    key: null,
    usedAt: 0,
  }));
}

/** Prevents silent loss of tokens: a full context is refused before a call, so this should never run. */
function refuseShift(): never {
  throw new Error('The context is full.');
}
