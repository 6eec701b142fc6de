/** A place that holds the tokens of one conversation. */
export interface SequenceHolder {
  readonly key: string | null;
  readonly tokens: readonly number[];
  /** Larger is later. */
  readonly usedAt: number;
}

export type SequenceChoice =
  /** Continue in this sequence, and erase what differs. */
  | { readonly type: 'continue'; readonly index: number; readonly kept: number }
  /**
   * Use this sequence (an empty one, or the least recently used) and fill it with the first `kept` tokens of
   * another.
   */
  | { readonly type: 'take'; readonly index: number; readonly from: number | null; readonly kept: number };

/** The number of tokens with which both begin. */
export function commonPrefix(left: readonly number[], right: readonly number[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) if (left[index] !== right[index]) return index;
  return length;
}

/**
 * Chooses the sequence for a prompt. A conversation that continues, or differs only at its end, keeps its sequence.
 * A prompt that shares less than half with every sequence gets its own place, so that going back to the earlier
 * prompt costs nothing. The shared part is copied and not computed again.
 * @param prompt at least one token
 */
export function chooseSequence(
  holders: readonly SequenceHolder[],
  prompt: readonly number[],
  key: string,
): SequenceChoice {
  const scored = holders.map((holder, index) => ({ holder, index, kept: commonPrefix(holder.tokens, prompt) }));
  const best = scored.reduce((left, right) => (betterThan(right, left, key) ? right : left));
  const lost = best.holder.tokens.length - best.kept;
  // So short an end is the last answer or its beginning, to which no later prompt returns.
  const isSameTalk = best.holder.key === key && lost <= Math.max(64, best.holder.tokens.length / 4);
  if (best.kept > 0 && (best.kept >= prompt.length / 2 || lost === 0 || isSameTalk)) {
    return { type: 'continue', index: best.index, kept: best.kept };
  }
  const place = scored.reduce((left, right) => (rank(right.holder) < rank(left.holder) ? right : left));
  if (place.index === best.index) return { type: 'continue', index: best.index, kept: best.kept };
  return { type: 'take', index: place.index, from: best.kept > 0 ? best.index : null, kept: best.kept };
}

function betterThan(
  left: { readonly holder: SequenceHolder; readonly kept: number },
  right: { readonly holder: SequenceHolder; readonly kept: number },
  key: string,
): boolean {
  if (left.kept !== right.kept) return left.kept > right.kept;
  return left.holder.key === key && right.holder.key !== key;
}

function rank(holder: SequenceHolder): number {
  return holder.tokens.length === 0 ? -1 : holder.usedAt;
}
