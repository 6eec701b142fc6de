import { namePattern } from './find-name.ts';
import type { Position, TextChange } from './server-answers.ts';

/**
 * The text with the edits of a rename. Null if they are none: if they overlap, lie outside the text, or replace
 * something else than the name.
 */
export function renamedText(
  text: string,
  edits: readonly TextChange[],
  { name, newName }: { readonly name: string; readonly newName: string },
): string | null {
  const starts = lineStarts(text);
  const offset = ({ line, character }: Position): number => {
    const start = starts[line];
    const end = starts[line + 1] ?? text.length;
    return start === undefined || start + character > end ? -1 : start + character;
  };
  const sorted = edits
    .map(({ range, newText }) => ({ from: offset(range.start), to: offset(range.end), newText }))
    .sort((left, right) => left.from - right.from);
  let result = '';
  let at = 0;
  for (const { from, to, newText } of sorted) {
    if (from < at || to < from) return null;
    const old = text.slice(from, to);
    if (Math.max(old.length, newText.length) > name.length + newName.length + room) return null;
    if (!isOnlyNames(old, [name]) || !isOnlyNames(newText, [newName, name])) return null;
    result += text.slice(at, from) + newText;
    at = to;
  }
  return result + text.slice(at);
}

/** For quotes, `as` and the like. */
const room = 20;

/**
 * Only the names, with what a language needs between them (`{ name: newName }`). A rename writes no program. In two steps,
 * because one pattern for all would try every way to divide a text of a hostile server.
 */
function isOnlyNames(text: string, names: readonly string[]): boolean {
  const words = new RegExp(String.raw`${names.map(namePattern).join('|')}|\bas\b`, 'gu');
  return /^[ :'"`]*$/u.test(text.replaceAll(words, ''));
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
