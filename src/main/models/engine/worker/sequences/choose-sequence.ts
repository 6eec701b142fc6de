/** A place that holds the tokens of one conversation. */
export interface SequenceHolder {
  readonly key: string | null;
  readonly tokens: readonly number[];
  /** Larger is later. */
  readonly usedAt: number;
}

export type SequenceChoice =
  /** Go on in this one; what differs is erased. */
  | { readonly type: 'continue'; readonly index: number; readonly kept: number }
  /** Take this one (empty, or the one that was not used for longest), filled with the first `kept` tokens of another. */
  | { readonly type: 'take'; readonly index: number; readonly from: number | null; readonly kept: number };

/** How many tokens both begin with. */
export function commonPrefix(left: readonly number[], right: readonly number[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) if (left[index] !== right[index]) return index;
  return length;
}

/**
 * Which sequence answers a prompt. A conversation that goes on, or that only differs at its end, keeps its
 * sequence. A prompt that shares less than half with every one gets a place of its own, so that going back to the
 * earlier prompt costs nothing; the shared part is copied, never computed again.
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
  // An end this short is the last answer or its opening: nothing that somebody would come back to.
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
