import type { LineRange } from './attachment.ts';

/** `@path`, `@path:3`, `@path:3-9`, or `@"a path with spaces":3-9` in a message. */
export interface Mention {
  /** As it is written, relative to the workspace; a folder ends with `/`. */
  readonly path: string;
  readonly lines: LineRange | null;
  /** Its place in the text, with the `@`. */
  readonly start: number;
  readonly end: number;
}

/**
 * A mention begins a word, so email addresses do not match. Punctuation at the end of a sentence does not belong to it.
 */
const pattern = /(?<![\p{L}\p{N}_.@/\\])@(?:"((?:\\"|[^"\n])+)"|([^\s"'`,;()[\]{}<>@]+))/gu;

/** All mentions in a text, in order. The files need not exist. */
export function mentionsIn(text: string): readonly Mention[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const start = match.index;
    const quoted = match[1];
    if (quoted !== undefined) {
      const after = start + match[0].length;
      const range = /^:(\d+)(?:-(\d+))?/u.exec(text.slice(after));
      return [
        { path: quoted.replaceAll('\\"', '"'), lines: rangeOf(range), start, end: after + (range?.[0].length ?? 0) },
      ];
    }
    const word = (match[2] ?? '').replace(/(?<![.:!?])[.:!?]+$/u, '');
    const range = /:(\d+)(?:-(\d+))?$/u.exec(word);
    const path = range === null ? word : word.slice(0, range.index);
    return path === '' ? [] : [{ path, lines: rangeOf(range), start, end: start + 1 + word.length }];
  });
}

/** A text of others, in which nothing is mentioned: each `@` that would begin a mention is behind a backslash. */
export function withoutMentions(text: string): string {
  return text.replaceAll(/(?<![\p{L}\p{N}_.@/\\])@/gu, '\\@');
}

function rangeOf(match: RegExpExecArray | null): LineRange | null {
  if (match === null) return null;
  const from = Math.max(1, Number(match[1]));
  return { from, to: Math.max(from, Number(match[2] ?? match[1])) };
}

/** Writes a path as a mention. */
export function mentionOf(path: string): string {
  return /[\s"'`,;()[\]{}<>@]|[.:!?]$/u.test(path) ? `@"${path.replaceAll('"', '\\"')}"` : `@${path}`;
}

/** The text after an `@` right before the cursor. Null when no mention is being written. */
export function openMention(text: string, cursor: number): { readonly start: number; readonly query: string } | null {
  const match = /(?<![\p{L}\p{N}_.@/\\])@(?:"((?:\\"|[^"\n])*)|([^\s"'`,;()[\]{}<>@]*))$/u.exec(text.slice(0, cursor));
  return match === null ? null : { start: match.index, query: match[1]?.replaceAll('\\"', '"') ?? match[2] ?? '' };
}

/** Whether a word without a file was probably meant as a path, so that the user should be told. */
export function looksLikePath(path: string): boolean {
  return path.includes('/') || /\.[a-z0-9]{1,5}$/iu.test(path);
}
