import type { ModelInfo } from './model-info.ts';

/** For a model that thinks before it answers. */
const THOUGHT_TOKENS = 16_384;

/**
 * A quarter of the window, and enough for a file of some size, or as the model's own limit is known; for a model that
 * thinks first, for its thoughts as well. One answer never has more than 32,000.
 */
export function maxOutputTokens(info: ModelInfo): number {
  const answer = info.outputTokens ?? 8192;
  const thinks = info.capabilities.reasoning === true && info.effort !== 'none';
  const most = Math.max(answer, Math.min(32_000, answer + (thinks ? THOUGHT_TOKENS : 0)));
  return Math.min(most, Math.max(256, Math.floor(info.contextTokens / 4)));
}

/** What a prompt may have of a model's window. */
export function promptRoom(info: ModelInfo): number {
  return info.contextTokens - maxOutputTokens(info) - 64;
}

/** Above this share of the room for prompts it is made smaller, and then by more than a little: each time costs the prefix. */
export const fullShare = 0.9;
