import type { Token } from 'node-llama-cpp';
import type { AnswerText } from './answer-text.ts';
import type { Generation } from '../worker-protocol.ts';
import { isLooping } from './token-loop.ts';

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
