/** A piece of an answer: the model's thoughts, or its text. */
export interface AnswerPiece {
  readonly type: 'text' | 'thought';
  readonly text: string;
}

/** The marks around thoughts in each model family. Thoughts come only at the beginning of an answer. */
const marks: readonly { readonly opening: string; readonly closing: string; readonly before?: string }[] = [
  { opening: '<think>', closing: '</think>' },
  { opening: '<|START_THINKING|>', closing: '<|END_THINKING|>' },
  { opening: '[THINK]', closing: '[/THINK]' },
  { opening: '<|channel>thought\n', closing: '<channel|>' },
  // gpt-oss puts one more mark before its text.
  {
    opening: '<|channel|>analysis<|message|>',
    closing: '<|end|>',
    before: '<|start|>assistant<|channel|>final<|message|>',
  },
];

/**
 * Separates thoughts from the answer as it arrives. Text that may be the start of a mark is held back until that is
 * clear. An answer that does not begin with thoughts passes unchanged.
 */
export function createThoughtSplit(): {
  push(text: string): readonly AnswerPiece[];
  /** Ends the answer, and returns the text that was held back. */
  end(): readonly AnswerPiece[];
} {
  let held = '';
  let state: 'start' | 'thought' | 'behind' | 'text' = 'start';
  let mark = marks[0];
  const take = (isEnd: boolean): readonly AnswerPiece[] => {
    const pieces: AnswerPiece[] = [];
    for (;;) {
      const before = state;
      const piece = step(isEnd);
      if (piece !== null && piece.text !== '') pieces.push(piece);
      if (state === before) return pieces;
    }
  };
  const step = (isEnd: boolean): AnswerPiece | null => {
    if (state === 'start') return start(isEnd);
    if (state === 'thought') return thought(isEnd);
    if (state === 'behind') return behind(isEnd);
    const text = held;
    held = '';
    return { type: 'text', text };
  };
  const start = (isEnd: boolean): AnswerPiece | null => {
    const begun = held.trimStart();
    const found = marks.find(({ opening }) => begun.startsWith(opening));
    if (found !== undefined) {
      mark = found;
      held = begun.slice(found.opening.length);
      state = 'thought';
    } else if (isEnd || !marks.some(({ opening }) => opening.startsWith(begun))) state = 'text';
    return null;
  };
  const thought = (isEnd: boolean): AnswerPiece => {
    const closing = mark?.closing ?? '';
    const at = held.indexOf(closing);
    const end = at === -1 ? held.length - (isEnd ? 0 : endThatOpens(held, closing)) : at;
    const text = held.slice(0, end);
    held = held.slice(at === -1 ? end : end + closing.length);
    if (at !== -1) state = 'behind';
    return { type: 'thought', text };
  };
  // White space between thoughts and answer belongs to neither.
  const behind = (isEnd: boolean): null => {
    const begun = held.trimStart();
    const before = mark?.before ?? '';
    if (before !== '' && begun.startsWith(before)) held = begun.slice(before.length);
    else if (!isEnd && before.startsWith(begun)) return null;
    else held = begun;
    if (held !== '' || isEnd) state = 'text';
    return null;
  };
  return {
    push(text) {
      held += text;
      return take(false);
    },
    end: () => take(true),
  };
}

/** The length of the longest suffix of `text` that is a prefix of `mark`. */
function endThatOpens(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}
