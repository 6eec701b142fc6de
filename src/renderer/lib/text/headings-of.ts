/** A heading of a text that is drawn in parts. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  /** The part that it stands in, and its place among the headings there. */
  readonly part: number;
  readonly place: number;
}

/** The headings of Markdown texts, in order; what stands in a fence is none. */
export function headingsOf(parts: readonly (string | null)[]): readonly Heading[] {
  return parts.flatMap((text, part) => (text === null ? [] : headingsIn(text, part)));
}

function headingsIn(text: string, part: number): readonly Heading[] {
  const found: Heading[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
    }
    const marks = fence === null ? /^#{1,6}(?= )/u.exec(line)?.[0] : undefined;
    if (marks === undefined) continue;
    const words = line
      .slice(marks.length)
      .replaceAll(/[*_`#]/gu, '')
      .trim();
    if (words !== '') found.push({ level: marks.length, text: words, part, place: found.length });
  }
  // Of the others only the places count.
  return found.filter(({ level }) => level <= 4);
}
