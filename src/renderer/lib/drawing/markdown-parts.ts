import { textPieces } from './text-pieces.ts';

/** A part of a Markdown text that is drawn by itself. */
export type MarkdownPart =
  | { readonly type: 'markdown'; readonly text: string }
  /** Not read: too much of it for one frame. `isOpen`: its fence was not closed yet. */
  | { readonly type: 'code'; readonly code: string; readonly language: string; readonly isOpen: boolean };

/** The reader needs about a frame for so many characters of the worst kind, a table. */
const mostCharacters = 20_000;
const fence = /(?:^|\n)(`{3,}(?!`)|~{3,}(?!~))([^\s`]*)(?:(?!\n)[\s`][^\n]*)?\n([\s\S]*?)(?:\n\1[ \t]*(?=\n|$)|$)/u;

/** A text in parts, however long: large code is known by its fence, and what else is too large stays as it was written. */
export function markdownParts(text: string): readonly MarkdownPart[] {
  return textPieces(text).flatMap(partsOf);
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

/** The blocks between blank lines: those that are too large apart from the others. */
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
