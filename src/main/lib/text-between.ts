/** The text between an opening and the next closing. */
export interface TextBetween {
  readonly opening: RegExpExecArray;
  readonly inside: string;
  /** The position after the closing. */
  readonly end: number;
}

/**
 * Every text between an opening and the next `closing`, one after another. With `mayEndOpen`, the last one may reach to
 * the end of the text. Replaces patterns with `[\s\S]*?`, which read to the end of the text from each opening that is
 * never closed.
 */
export function* textsBetween(
  text: string,
  opening: RegExp,
  closing: string,
  { mayEndOpen = false }: { readonly mayEndOpen?: boolean } = {},
): Generator<TextBetween> {
  let from = 0;
  for (const match of text.matchAll(opening)) {
    if (match.index < from) continue;
    const start = match.index + match[0].length;
    const at = text.indexOf(closing, start);
    if (at === -1) {
      if (mayEndOpen) yield { opening: match, inside: text.slice(start), end: text.length };
      return;
    }
    from = at + closing.length;
    yield { opening: match, inside: text.slice(start, at), end: from };
  }
}
