import { seenWords } from './seen-text.ts';

/** A text from outside as one cell or one line: without line breaks, markup, links and deceptive characters. */
export function escapeMarkdown(text: string): string {
  return seenWords(text.replaceAll(/\s+/gu, ' ')).replaceAll(/[\\`*_[\]<>|#]/gu, '\\$&');
}
