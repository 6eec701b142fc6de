import { createHash } from 'node:crypto';
import type { ModelRequest } from '../define.ts';

/** What the server counted of a prompt, against what it was sent. */
export interface PromptCount {
  /** A sentence that names it where the prompt was cut; null where it was not, as far as can be seen. */
  readonly check: (request: ModelRequest, countedTokens: number) => string | null;
}

/** No tokenizer that we know gets further than this on text of any length, once repeated characters are left out. */
const mostBytesPerToken = 6;
/** Of fewer tokens nothing is said: no server makes so little context. */
const leastTold = 256;

/**
 * Finds out when a server dropped the beginning of a prompt and answered all the same. The server has no count to be had
 * beforehand, so what it says afterwards is compared with what the bytes must give at the very least, and with an
 * earlier prompt that this one only adds to. So more than half of a first prompt, and nearly all of what a later one
 * loses, is seen.
 */
export function createPromptCount(): PromptCount {
  const before = new Map<string, Earlier>();
  return {
    check: (request, countedTokens) => {
      const bytes = textBytes(request);
      const marks = marksOf(request);
      const earlier = before.get(request.cacheKey);
      const least = Math.floor(bytes / mostBytesPerToken);
      if (earlier !== undefined && earlier.marks.every((mark, index) => marks[index] === mark)) {
        const leastGrown = Math.floor(earlier.tokens * 0.97 + (bytes - earlier.bytes) / mostBytesPerToken);
        if (leastGrown > leastTold && countedTokens < leastGrown)
          return `The server read ${countedTokens} tokens of a prompt that only adds to one of ${earlier.tokens}. It dropped a part of the prompt and did not say so.`;
      }
      if (least > leastTold && countedTokens < least)
        return `The server read ${countedTokens} tokens of a prompt that must have at least ${least}. It dropped a part of the prompt and did not say so.`;
      before.delete(request.cacheKey);
      // What a model thought is shown to it for a while and then left out again: such a prompt shrinks rightly.
      if (!hasReasoning(request)) before.set(request.cacheKey, { marks, bytes, tokens: countedTokens });
      const oldest = before.keys().next();
      if (before.size > 64 && oldest.done !== true) before.delete(oldest.value);
      return null;
    },
  };
}

interface Earlier {
  readonly marks: readonly string[];
  readonly bytes: number;
  readonly tokens: number;
}

function hasReasoning({ messages }: ModelRequest): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.type === 'reasoning'));
}

/** Bytes of all that is said, without what many tokens' worth of characters may be one token of: runs of one character. */
function textBytes(request: ModelRequest): number {
  const said = request.messages.flatMap(({ parts }) =>
    parts.map((part) => {
      if (part.type === 'image' || part.type === 'reasoning') return '';
      return part.type === 'tool-call' ? `${part.name}${JSON.stringify(part.input ?? {})}` : part.text;
    }),
  );
  const short = said
    .join('\n')
    .replace(/\s+/g, ' ')
    .replace(/(.)\1{2,}/gu, '$1$1');
  return Buffer.byteLength(short, 'utf8');
}

/** One for the tools and one for each message. */
function marksOf({ tools, messages }: ModelRequest): readonly string[] {
  return [tools, ...messages].map((one) => createHash('sha256').update(JSON.stringify(one)).digest('base64'));
}
