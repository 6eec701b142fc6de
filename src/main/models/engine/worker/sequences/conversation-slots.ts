import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';

/** One conversation's place in the engine. */
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
 * Models that cannot go back (windows, recurrent states) have copies of their state to go back to, in the host's
 * memory. Of all conversations together: no plan counts them.
 */
const mostCheckpointBytes = 512 * 1024 * 1024;

/** All places that a context has. */
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

/** A full context is refused before a call; if it were reached all the same, nothing may be dropped silently. */
function refuseShift(): never {
  throw new Error('The context is full.');
}
