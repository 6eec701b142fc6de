import { diffArrays } from 'diff';

/** Lines `from` up to `to` of the base become these. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Above this it takes too long: the time grows with its square. */
const maxEdits = 2000;

/**
 * The base with the changes of both sides. Null: they change the same lines, or lines beside each other, or are too
 * many.
 */
export function mergeTexts(base: string, ours: string, theirs: string): string | null {
  const lines = linesOf(base);
  const [left, right] = [editsOf(lines, linesOf(ours)), editsOf(lines, linesOf(theirs))];
  if (left === null || right === null) return null;
  const edits = bothEdits(left, right);
  if (edits === null) return null;
  // A call takes only so many arguments, so the lines are not pushed one by one.
  const merged: (readonly string[])[] = [];
  let at = 0;
  for (const edit of edits) {
    merged.push(lines.slice(at, edit.from), edit.lines);
    at = edit.to;
  }
  return [...merged, lines.slice(at)].flat().join('');
}

/** Each with its line break. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  return [...lines.map((line) => `${line}\n`), ...(rest === '' ? [] : [rest])];
}

function editsOf(base: readonly string[], next: readonly string[]): readonly Edit[] | null {
  const parts = diffArrays([...base], [...next], { maxEditLength: maxEdits });
  if (parts === undefined) return null;
  const edits: Edit[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    const last = edits.at(-1);
    const isBeside = last !== undefined && last.to === at;
    const from = isBeside ? last.from : at;
    const before = isBeside ? last.lines : [];
    const to = removed ? at + value.length : at;
    if (added || removed) {
      if (isBeside) edits.pop();
      edits.push({ from, to, lines: added ? [...before, ...value] : before });
    }
    if (!added) at += value.length;
  }
  return edits;
}

/** In order. Null: two of them touch and are not the same. */
function bothEdits(left: readonly Edit[], right: readonly Edit[]): readonly Edit[] | null {
  const others = [...right];
  const edits: Edit[] = [];
  for (const edit of left) {
    const touching = others.filter(({ from, to }) => from <= edit.to && to >= edit.from);
    if (touching.some((other) => !isSameEdit(edit, other))) return null;
    for (const other of touching) others.splice(others.indexOf(other), 1);
    edits.push(edit);
  }
  return [...edits, ...others].sort((one, other) => one.from - other.from);
}

function isSameEdit(one: Edit, other: Edit): boolean {
  return one.from === other.from && one.to === other.to && one.lines.join('') === other.lines.join('');
}
