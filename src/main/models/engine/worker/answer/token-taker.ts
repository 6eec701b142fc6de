import type { Token } from 'node-llama-cpp';
import type { AnswerText } from './answer-text.ts';
import type { Generation } from '../worker-protocol.ts';

/** The longest block, in tokens, whose endless repetition is detected. */
const longestPeriod = 96;
/** A block must repeat so many times … */
const leastRepeats = 6;
/** … and be so many tokens in total to count as a loop. Tables of zeros are shorter. */
const leastTokens = 240;

/**
 * Whether `tokens` ends with one block that repeats endlessly. A weak model never leaves such a loop by itself; it
 * would only fill the context.
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

/** Takes the tokens of one answer and decides where it ends. */
export interface TokenTaker {
  /** Null: the answer goes on. */
  push(token: Token): Generation['stopReason'] | null;
  /** Called when the model has ended its answer. */
  end(): Generation['stopReason'];
  readonly tokens: readonly Token[];
}

const tokensBetweenLooks = 16;

/** @param most the most tokens of the answer */
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
