import { isCostlyMarkdown } from '@shared/text/costly-markdown.ts';
import { textPieces } from './text-pieces.ts';

/** A part of a Markdown text that is rendered separately. */
export type MarkdownPart =
  | { readonly type: 'markdown'; readonly text: string }
  /** Not parsed as Markdown, because it is too much for one frame. `isOpen`: its fence was not closed yet. */
  | { readonly type: 'code'; readonly code: string; readonly language: string; readonly isOpen: boolean };

/** The parser takes about a frame for this many characters of the slowest kind, a table. */
const mostCharacters = 20_000;
const fence = /(?:^|\n)(`{3,}(?!`)|~{3,}(?!~))([^\s`]*)(?:(?!\n)[\s`][^\n]*)?\n([\s\S]*?)(?:\n\1[ \t]*(?=\n|$)|$)/u;

/** A note at the start of a line: its numbers may stand anywhere before it. */
const footnote = /(?:^|\n)\[\^[^\]\s]{1,100}\]:/u;

/**
 * Splits a text of any length into parts. Large code blocks are found by their fences; other large parts stay plain
 * text. A text with footnotes stays in one part, up to that length.
 */
export function markdownParts(text: string): readonly MarkdownPart[] {
  const parts: readonly MarkdownPart[] =
    text.length <= mostCharacters && footnote.test(text)
      ? [{ type: 'markdown', text }]
      : textPieces(text).flatMap(partsOf);
  return parts.map((part) =>
    part.type === 'markdown' && isCostlyMarkdown(part.text)
      ? { type: 'code', code: part.text, language: '', isOpen: false }
      : part,
  );
}

function partsOf(piece: string): readonly MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  let rest = piece;
  while (rest.length > mostCharacters) {
    const found = fence.exec(rest);
    if (found === null) return [...parts, ...blocksOf(rest)];
    const [all, mark = '', language = '', code = ''] = found;
    parts.push(...withoutFence(rest.slice(0, found.index)));
    parts.push({ type: 'code', code, language, isOpen: !all.trimEnd().endsWith(`\n${mark}`) });
    rest = rest.slice(found.index + all.length);
  }
  return [...parts, ...withoutFence(rest)];
}

function withoutFence(piece: string): readonly MarkdownPart[] {
  if (piece.length > mostCharacters) return blocksOf(piece);
  return piece.trim() === '' ? [] : [{ type: 'markdown', text: piece }];
}

/** Splits at blank lines and separates blocks that are too large. */
function blocksOf(piece: string): readonly MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  for (const block of piece.split(/\n{2,}/u)) {
    const last = parts.at(-1);
    if (block.length > mostCharacters) parts.push({ type: 'code', code: block, language: '', isOpen: false });
    else if (last?.type === 'markdown') parts.splice(-1, 1, { type: 'markdown', text: `${last.text}\n\n${block}` });
    else parts.push({ type: 'markdown', text: block });
  }
  return parts;
}
