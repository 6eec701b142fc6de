import type { Card } from './memory-plan.ts';
import type { ContextRequest } from './estimate/context-memory.ts';
import { contextTerms } from './estimate/context-memory.ts';
import { estimateMemory, readModelMemory } from './estimate/model-memory.ts';
import type { ModelFacts, ModelMemory } from './estimate/model-memory.ts';

/** What a server drafts with, for its memory. */
export interface DraftLoad {
  /** The facts of the drafting model. Null: drafts need no file of their own. */
  readonly facts: ModelFacts | null;
  /** The most tokens that are drafted ahead. The model checks them at once. */
  readonly tokens: number;
  /**
   * It drafts with layers inside the model. The model's recurrent layers then keep a state for each drafted token.
   */
  readonly isInside: boolean;
}

export interface DraftMemory {
  readonly bytes: number;
  /** No rule covers it, or the rule was not compared with a real load. */
  readonly isEstimate: boolean;
}

/**
 * The memory for drafts beside a model with this context. A drafting model has a context of the same length, in f16.
 */
export function draftMemory(draft: DraftLoad, memory: ModelMemory, context: ContextRequest): DraftMemory {
  const { facts, isInside } = draft;
  const own: ContextRequest = { ...context, cacheType: 'f16', draftTokens: 0, outputs: 1 };
  // A state cannot be cut back after a wrong draft, so the server keeps copies, as many as it decides.
  const keepsStates = memory.context.layers.some(({ recurrentElements }) => recurrentElements > 0);
  if (facts === null) {
    const kept = contextTerms(memory.context, own).reduce((sum, { bytes }) => sum + bytes, 0);
    const share = memory.context.draftLayers / Math.max(1, memory.layerCount - memory.context.draftLayers);
    return isInside ? { bytes: Math.ceil(kept * share), isEstimate: true } : { bytes: 0, isEstimate: keepsStates };
  }
  const read = readModelMemory(facts);
  const weights = facts.weights?.totalBytes ?? 0;
  if (!read.known) return { bytes: weights, isEstimate: true };
  const { totalBytes } = estimateMemory(read.memory, { engine: 'llama-server', context: own });
  return { bytes: totalBytes ?? weights, isEstimate: isInside || keepsStates || totalBytes === null };
}

/** Subtracts the draft's memory from the first card, or from main memory without a card. */
export function besideDraft<Room extends { readonly cards: readonly Card[]; readonly hostFreeBytes: number }>(
  room: Room,
  bytes: number,
): Room {
  const [first, ...others] = room.cards;
  if (first === undefined) return { ...room, hostFreeBytes: room.hostFreeBytes - bytes };
  return { ...room, cards: [{ ...first, freeBytes: Math.max(0, first.freeBytes - bytes) }, ...others] };
}
