/** A piece of an answer: the model's thoughts, or its text. `was-thought`: all text so far was thoughts. */
export type AnswerPiece =
  | { readonly type: 'text' | 'thought'; readonly text: string }
  | { readonly type: 'was-thought' };

interface Mark {
  readonly opening: string;
  readonly closing: string;
  /** Stands between the thoughts and the text. */
  readonly before?: string;
}

/** The marks around thoughts in each model family. */
const marks: readonly Mark[] = [
  ...['think', 'thinking', 'thought', 'seed:think'].map((name) => ({ opening: `<${name}>`, closing: `</${name}>` })),
  { opening: '◁think▷', closing: '◁/think▷' },
  { opening: '<|START_THINKING|>', closing: '<|END_THINKING|>' },
  { opening: '[THINK]', closing: '[/THINK]' },
  { opening: '<|begin_of_thought|>', closing: '<|end_of_thought|>' },
  { opening: '<|channel>thought\n', closing: '<channel|>' },
  // gpt-oss puts one more mark before its text.
  {
    opening: '<|channel|>analysis<|message|>',
    closing: '<|end|>',
    before: '<|start|>assistant<|channel|>final<|message|>',
  },
];
/** Marks that carry no text: around a final text, and at its end. */
const empty = [
  '<|start|>assistant<|channel|>final<|message|>',
  '<|channel|>final<|message|>',
  '<|return|>',
  '<|begin_of_solution|>',
  '<|end_of_solution|>',
];
/** Tags that may come without their opening: the template wrote it into the prompt. */
const strays = marks.filter(({ closing }) => /think|thought|THINK/u.test(closing));
const inText = [...marks.map(({ opening }) => opening), ...strays.map(({ closing }) => closing), ...empty];
const longest = Math.max(...inText.map((mark) => mark.length));

/**
 * Separates thoughts from the answer as it arrives, in linear time. Text that may be the start of a mark is held back
 * until that is clear. Thoughts stand at the beginning, or begin a later line; a closing tag without its opening makes
 * all before it thoughts. A mark inside a code block, in backticks or in the middle of a line is text.
 */
export function createThoughtSplit(): {
  push(text: string): readonly AnswerPiece[];
  /** Ends the answer, and returns the text that was held back. */
  end(): readonly AnswerPiece[];
} {
  const split = new ThoughtSplit();
  return {
    push: (text) => split.take(text, false),
    end: () => split.take('', true),
  };
}

class ThoughtSplit {
  private held = '';
  /** White space at the beginning. */
  private readonly lead: string[] = [];
  private state: 'start' | 'thought' | 'behind' | 'text' | 'later' = 'start';
  private mark: Mark | undefined;
  private pieces: AnswerPiece[] = [];
  /** Thoughts in the middle of a text, which are text if they never end. */
  private later: string[] = [];
  private hasThought = false;
  /** The current line of the text, as far as it decides whether a mark counts. */
  private line = { start: '', isBlank: true, ticks: 0, last: '' };
  private fence = '';

  take(text: string, isEnd: boolean): readonly AnswerPiece[] {
    this.held += text;
    this.pieces = [];
    for (;;) {
      const before = this.state;
      const length = this.held.length;
      this.step(isEnd);
      if (this.state === before && (this.held === '' || this.held.length === length)) break;
    }
    return this.pieces;
  }

  private step(isEnd: boolean): void {
    switch (this.state) {
      case 'start':
        this.start(isEnd);
        return;
      case 'thought':
      case 'later':
        this.thought(isEnd);
        return;
      case 'behind':
        this.behind(isEnd);
        return;
      default:
        this.text(isEnd);
    }
  }

  private start(isEnd: boolean): void {
    const begun = this.held.trimStart();
    // An answer may begin with any amount of white space, and each of it is looked at once.
    this.lead.push(this.held.slice(0, this.held.length - begun.length));
    this.held = begun;
    const found = marks.find(({ opening }) => begun.startsWith(opening));
    if (found !== undefined) this.open(found, begun.slice(found.opening.length), 'thought');
    else if (isEnd || (begun !== '' && !marks.some(({ opening }) => opening.startsWith(begun)))) {
      this.held = this.lead.join('') + begun;
      this.state = 'text';
    }
  }

  private open(mark: Mark, rest: string, state: 'thought' | 'later'): void {
    this.mark = mark;
    this.held = rest;
    this.state = state;
  }

  private thought(isEnd: boolean): void {
    const closing = this.mark?.closing ?? '';
    const at = this.held.indexOf(closing);
    const end = at === -1 ? this.held.length - (isEnd ? 0 : endThatOpens(this.held, closing)) : at;
    const text = this.held.slice(0, end);
    this.held = this.held.slice(at === -1 ? end : end + closing.length);
    if (this.state === 'thought') this.say('thought', text);
    else this.later.push(text);
    if (at !== -1) this.close();
    else if (isEnd && this.state === 'later') {
      // Nothing closed it, so it was a text about the mark.
      this.say('text', `${this.mark?.opening ?? ''}${this.later.join('')}`);
      this.later = [];
      this.state = 'text';
    }
  }

  private close(): void {
    for (const text of this.later) this.say('thought', text);
    this.later = [];
    this.hasThought = true;
    this.state = 'behind';
  }

  /** White space between thoughts and answer belongs to neither. */
  private behind(isEnd: boolean): void {
    const begun = this.held.trimStart();
    const before = this.mark?.before ?? '';
    if (before !== '' && begun.startsWith(before)) this.held = begun.slice(before.length);
    else {
      this.held = begun;
      if (!isEnd && before.startsWith(begun)) return;
    }
    if (this.held !== '' || isEnd) this.state = 'text';
  }

  private text(isEnd: boolean): void {
    for (;;) {
      const at = this.held.search(/[<[◁]/u);
      if (at === -1) return this.sayAll();
      this.sayText(this.held.slice(0, at));
      this.held = this.held.slice(at);
      const found = inText.find((mark) => this.held.startsWith(mark));
      // What follows the mark decides whether it counts.
      const isOpen = this.held.length <= longest && inText.some((mark) => mark.startsWith(this.held));
      if (!isEnd && isOpen) return;
      if (found !== undefined && this.counts(found)) return this.takeMark(found);
      this.sayText(this.held.slice(0, 1));
      this.held = this.held.slice(1);
    }
  }

  private counts(mark: string): boolean {
    const { isBlank, ticks, last } = this.line;
    if (this.fence !== '' || ticks % 2 === 1) return false;
    if (empty.includes(mark)) return true;
    if (marks.some(({ opening }) => opening === mark)) return isBlank;
    const next = this.held[mark.length] ?? '\n';
    if (isBlank || next === '\n' || next === '\r') return true;
    // In the middle of a line, it counts where it sticks to both words, as models write it. Later it is text.
    return !this.hasThought && /[^\s"'`(“‘]/u.test(last) && /[^\s"'`)”’.,;:]/u.test(next);
  }

  private takeMark(mark: string): void {
    const rest = this.held.slice(mark.length);
    const opened = marks.find(({ opening }) => opening === mark);
    if (opened !== undefined) {
      this.open(opened, rest, 'later');
      return;
    }
    this.held = rest;
    if (empty.includes(mark)) return;
    if (!this.hasThought) this.pieces.push({ type: 'was-thought' });
    this.hasThought = true;
    this.mark = undefined;
    this.state = 'behind';
  }

  private sayAll(): void {
    const text = this.held;
    this.held = '';
    this.sayText(text);
  }

  private sayText(text: string): void {
    if (text === '') return;
    this.say('text', text);
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.endLine();
      const { line } = this;
      if (line.start.length < 80) line.start += part.slice(0, 80);
      if (part.trim() !== '') line.isBlank = false;
      for (const character of part) if (character === '`') line.ticks += 1;
      line.last = part.at(-1) ?? line.last;
    }
  }

  private endLine(): void {
    const fence = /^\s{0,3}(`{3,}|~{3,})/u.exec(this.line.start)?.[1] ?? '';
    if (this.fence === '') this.fence = fence;
    else if (fence.startsWith(this.fence)) this.fence = '';
    this.line = { start: '', isBlank: true, ticks: 0, last: '' };
  }

  private say(type: 'text' | 'thought', text: string): void {
    if (text !== '') this.pieces.push({ type, text });
  }
}

/** The length of the longest suffix of `text` that is a prefix of `mark`. */
function endThatOpens(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}

const callMark =
  /TOOL_CALL:?\s*\{|<tool_call>|<function_call>|<\|tool_call|<function=|<invoke |\[TOOL_CALLS\]|<TOOLCALL>/u;

/** A tool call that a model wrote inside its thoughts, with what follows. Null: there is none. */
export function callInThoughts(thoughts: string): string | null {
  const at = callMark.exec(thoughts)?.index;
  return at === undefined ? null : thoughts.slice(at);
}
