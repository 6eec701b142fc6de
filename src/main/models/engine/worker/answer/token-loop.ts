/** Longest block, in tokens, whose endless repetition is noticed. */
const longestPeriod = 96;
/** So often must a block follow itself … */
const leastRepeats = 6;
/** … and so many tokens must that be, before it is called a loop: tables of zeros are shorter. */
const leastTokens = 240;

/**
 * Whether the end of `tokens` is one block repeated without an end in sight. A weak model that falls into
 * such a loop never leaves it by itself; it would only fill the context.
 */
export function isLooping(tokens: readonly number[]): boolean {
  for (let period = 1; period <= longestPeriod; period += 1) {
    const length = Math.max(leastTokens, period * leastRepeats);
    if (tokens.length < length) continue;
    if (hasPeriod(tokens, period, length)) return true;
  }
  return false;
}

function hasPeriod(tokens: readonly number[], period: number, length: number): boolean {
  for (let index = tokens.length - 1; index >= tokens.length - length + period; index -= 1) {
    if (tokens[index] !== tokens[index - period]) return false;
  }
  return true;
}
