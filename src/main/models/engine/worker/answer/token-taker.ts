import type { Token } from 'node-llama-cpp';
import type { AnswerText } from './answer-text.ts';
import type { Generation } from '../worker-protocol.ts';

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

/** Takes the tokens of one answer, and says where it ends. */
export interface TokenTaker {
  /** Null: the answer goes on. */
  push(token: Token): Generation['stopReason'] | null;
  /** The model has said that this is all. */
  end(): Generation['stopReason'];
  readonly tokens: readonly Token[];
}

const tokensBetweenLooks = 16;

/** @param most tokens of the answer */
export function createTokenTaker(answer: AnswerText<Token>, most: number): TokenTaker {
  const tokens: Token[] = [];
  return {
    push(token) {
      tokens.push(token);
      if (answer.push(token)) return 'stop-sequence';
      const isCut = tokens.length >= most;
      if (!isCut && (tokens.length % tokensBetweenLooks !== 0 || !isLooping(tokens))) return null;
      answer.end();
      return isCut ? 'length' : 'repetition';
    },
    end: () => (answer.end() ? 'stop-sequence' : 'stop'),
    tokens,
  };
}
