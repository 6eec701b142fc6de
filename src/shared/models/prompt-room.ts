import type { ModelInfo } from './model-info.ts';

/** Added for a model that thinks before it answers. */
const THOUGHT_TOKENS = 16_384;

/**
 * The longest answer to request, in tokens: the model's own limit, or 8,192. A model that thinks gets more for its
 * thoughts, as far as 32,000 in all allow. At most a quarter of the context window, or 256 if that is more.
 */
export function maxOutputTokens(info: ModelInfo): number {
  const answer = info.outputTokens ?? 8192;
  const thinks = info.capabilities.reasoning === true && info.effort !== 'none';
  const most = Math.max(answer, Math.min(32_000, answer + (thinks ? THOUGHT_TOKENS : 0)));
  return Math.min(most, Math.max(256, Math.floor(info.contextTokens / 4)));
}

/** How much of a model's context window a prompt may use. */
export function promptRoom(info: ModelInfo): number {
  return info.contextTokens - maxOutputTokens(info) - 64;
}

/**
 * The prompt is trimmed once it exceeds this share of its room, and then by more than a little, because each trim
 * invalidates the prompt cache.
 */
export const fullShare = 0.9;
