import { createHash } from 'node:crypto';
import type { ModelRequest } from '../define.ts';

/** Compares the server's count of a prompt with what was sent. */
export interface PromptCount {
  /** A sentence if the prompt was cut. Null if no cut can be seen. */
  readonly check: (request: ModelRequest, countedTokens: number) => string | null;
}

/** No tokenizer that we know exceeds this average on longer texts, once repeated characters are left out. */
const mostBytesPerToken = 6;
/** Smaller counts are not judged, because no server has so small a context. */
const leastTold = 256;

/**
 * Detects that a server dropped the beginning of a prompt and answered all the same. The server cannot count in
 * advance, so its count is compared afterwards with the least that the bytes must give. It is also compared with an
 * earlier prompt that this one extends. This detects a loss of more than half of a first prompt, and nearly any loss
 * of a later one.
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
      // Thoughts are sent back for a while and then left out, so a prompt with thoughts may shrink for a good reason.
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

/** Bytes of all content. Runs of one character are shortened, because one token may stand for many of them. */
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

/** One hash for the tools and one for each message. */
function marksOf({ tools, messages }: ModelRequest): readonly string[] {
  return [tools, ...messages].map((one) => createHash('sha256').update(JSON.stringify(one)).digest('base64'));
}
