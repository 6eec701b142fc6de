import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { dearestInput } from '@shared/money/token-cost.ts';

/** A call with fewer output tokens is not worth its prompt: enough for one tool call. */
const SHORTEST_ANSWER = 128;
/** A model that thinks first needs room for its thoughts. */
const SHORTEST_THINKING = 1024;
/** Nobody needs more than this to make some progress. */
const LONGEST_NEEDED = 1000;

/**
 * The shortest answer that is worth a call, in tokens. `usual`: what this model usually writes in such a call; null:
 * unknown. Never more than `most`, which the caller wants.
 */
export function leastOutputTokens(
  info: Pick<ModelInfo, 'capabilities' | 'effort'>,
  usual: number | null,
  most: number,
): number {
  const thinks = info.capabilities.reasoning === true && info.effort !== 'none';
  const least = thinks ? SHORTEST_THINKING : SHORTEST_ANSWER;
  const needed = usual === null ? least : Math.max(SHORTEST_ANSWER, Math.min(LONGEST_NEEDED, Math.ceil(usual)));
  return Math.min(most, needed);
}

/**
 * The longest answer, in tokens, with which a call costs at most `leftUsd`, whatever the model writes. Null: not even
 * the prompt fits, or no price is known.
 */
export function outputWithin(leftUsd: number, promptTokens: number, price: Price | null): number | null {
  if (price === null) return null;
  const tiers = (price.tiers ?? []).filter(({ above }) => promptTokens > above);
  const longest = [price, ...tiers].map((rates) => {
    const promptUsd = promptTokens * dearestInput(rates) * 1e-6 + (price.perCall ?? 0);
    // A nanodollar less, because reservations are rounded up to whole ones.
    const rest = leftUsd - promptUsd - 1e-9;
    if (rest < 0) return -1;
    return rates.output === 0 ? Number.MAX_SAFE_INTEGER : Math.floor((rest * 1e6) / rates.output);
  });
  const most = Math.min(...longest);
  return most < 0 ? null : most;
}
