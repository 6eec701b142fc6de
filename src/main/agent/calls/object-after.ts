/** A piece of an answer that was meant as a call, not yet parsed. */
export interface RawCall {
  readonly text: string;
  /** False: the answer ended inside it. */
  readonly whole: boolean;
  /** Certainly a call, but in a format that is not read here. */
  readonly isUnread?: boolean;
}

const closing = /END_TOOL_CALL|<\/tool_call>|<\/function_call>|```/uy;

/** The object that starts at `from`, or after `before`; null if there is none. */
export function objectAfter(
  text: string,
  from: number,
  before?: RegExp,
): { readonly call: RawCall; readonly start: number; readonly end: number } | null {
  const start = before === undefined ? firstBrace(text, from) : braceAfter(text, from, before);
  if (start === -1) return null;
  const { end, mark } = walk(text, start);
  if (end !== -1) return { call: { text: text.slice(start, end), whole: true }, start, end };
  // A brace is missing, but a mark closes the call. A repair may still read it.
  if (mark !== -1) return { call: { text: text.slice(start, mark).trim(), whole: true }, start, end: mark };
  return { call: { text: text.slice(start), whole: false }, start, end: text.length };
}

/** Only white space, an opening fence, a colon or a bracket may stand between a mark and its object. */
function firstBrace(text: string, from: number): number {
  const gap = /^(?:\s|```[\w-]*|\[|:){0,1000}\{/u.exec(text.slice(from));
  return gap === null ? -1 : from + gap[0].length - 1;
}

function braceAfter(text: string, from: number, before: RegExp): number {
  before.lastIndex = from;
  const match = before.exec(text);
  return match === null ? -1 : match.index + match[0].length;
}

/**
 * The offset after the brace that closes the one at `start`, and where a mark ends the object earlier; -1 for what is
 * missing. Strings are skipped: a fence in a text does not end the call.
 */
function walk(text: string, start: number): { readonly end: number; readonly mark: number } {
  let depth = 0;
  let quote: string | null = null;
  let mark = -1;
  for (let at = start; at < text.length; at += 1) {
    if (mark !== -1 && at - mark > mostAfterMark) break;
    const character = text[at];
    if (quote !== null) {
      if (character === '\\') at += 1;
      else if (character === quote && endsString(text, at)) quote = null;
      continue;
    }
    if (character === '"' || (character === "'" && beginsString(text, at))) quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return { end: at + 1, mark };
    } else if (mark === -1 && isMark(text, at) && /\}\s*$/u.test(text.slice(Math.max(start, at - 20), at))) mark = at;
  }
  return { end: -1, mark };
}

/**
 * How far after a mark the closing brace is looked for. Without it, every unclosed object would be read to the end of
 * the text.
 */
const mostAfterMark = 200;

function isMark(text: string, at: number): boolean {
  closing.lastIndex = at;
  return closing.test(text);
}

/** An apostrophe opens a string only where JSON allows one. */
function beginsString(text: string, at: number): boolean {
  return /[{[,:]\s*$/u.test(text.slice(Math.max(0, at - 20), at));
}

/** A single quote closes a string only if JSON continues after it, so that `it's` stays whole. */
function endsString(text: string, at: number): boolean {
  return text[at] === '"' || /^\s*(?:[,:}\]]|$)/u.test(text.slice(at + 1, at + 20));
}
