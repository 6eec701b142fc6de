/** A piece of an answer that was meant as a call, before anybody has looked inside. */
export interface RawCall {
  readonly text: string;
  /** False: the answer ended inside it. */
  readonly whole: boolean;
  /** A call for sure, of a form that is not read here. */
  readonly isUnread?: boolean;
}

/** Where calls begin: our own marker, the tags of the Qwen and Hermes families, and code fences. */
const opening =
  /TOOL_CALL:?|<tool_call>|<function_call>|<\|tool_call\|>|\[TOOL_CALLS\]|```[\w-]*[ \t]*\r?\n(?=\s*[{[])/gu;
const closing = /END_TOOL_CALL|<\/tool_call>|<\/function_call>|```/u;
/** What tells a call in bare JSON from any other JSON in an answer. */
const nameKey = /["']?(?:tool|name|action|function|tool_name)["']?\s*:/u;

/**
 * The calls that a text holds, in order: marked ones first; only where there is no mark, bare JSON objects that name a tool.
 * Tolerates prose around, fences, several calls in a row and several objects behind one mark.
 */
export function extractCalls(text: string): readonly RawCall[] {
  const marked = markedCalls(text);
  return marked.length > 0 ? marked : bareCalls(text);
}

function markedCalls(text: string): readonly RawCall[] {
  const calls: RawCall[] = [];
  let from = 0;
  for (const match of text.matchAll(opening)) {
    const start = match.index + match[0].length;
    // A fence inside a marked block is the same call.
    if (match.index < from) continue;
    if (text.slice(Math.max(0, match.index - 4), match.index).endsWith('END_')) continue;
    const next = objectAfter(text, start);
    if (next === null) {
      if (text.slice(start).trim() === '' && !match[0].startsWith('```')) calls.push({ text: '', whole: false });
      continue;
    }
    if (match[0].startsWith('```') && !nameKey.test(next.call.text)) continue;
    calls.push(next.call);
    from = next.end;
  }
  return calls;
}

function bareCalls(text: string): readonly RawCall[] {
  const calls: RawCall[] = [];
  let from = 0;
  for (
    let next = objectAfter(text, from, /(?:^|[\s:>])(?=\{)/gu);
    next !== null;
    next = objectAfter(text, from, /(?:^|[\s:>,])(?=\{)/gu)
  ) {
    if (nameKey.test(next.call.text)) calls.push(next.call);
    from = next.end;
    if (!next.call.whole) break;
  }
  return calls;
}

/** The object that begins at `from`, or behind `before`; null where there is none. */
export function objectAfter(
  text: string,
  from: number,
  before?: RegExp,
): { readonly call: RawCall; readonly end: number } | null {
  const start = before === undefined ? firstBrace(text, from) : braceAfter(text, from, before);
  if (start === -1) return null;
  const end = balancedEnd(text, start);
  if (end !== -1) return { call: { text: text.slice(start, end), whole: true }, end };
  // Unbalanced, but closed by a mark: a quote too many or too few, which a repair may still read.
  const mark = closing.exec(text.slice(start));
  if (mark !== null)
    return { call: { text: text.slice(start, start + mark.index).trim(), whole: true }, end: start + mark.index };
  return { call: { text: text.slice(start), whole: false }, end: text.length };
}

/** Only white space, an opening fence or a bracket may stand between a mark and its object. */
function firstBrace(text: string, from: number): number {
  const gap = /^(?:\s|```[\w-]*|\[|:)*\{/u.exec(text.slice(from));
  return gap === null ? -1 : from + gap[0].length - 1;
}

function braceAfter(text: string, from: number, before: RegExp): number {
  before.lastIndex = from;
  const match = before.exec(text);
  return match === null ? -1 : match.index + match[0].length;
}

/** The offset behind the brace that closes the one at `start`; -1 when there is none. Braces in strings do not count. */
function balancedEnd(text: string, start: number): number {
  let depth = 0;
  let quote: string | null = null;
  for (let at = start; at < text.length; at += 1) {
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
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** An apostrophe opens a string only where JSON could have one. */
function beginsString(text: string, at: number): boolean {
  return /[{[,:]\s*$/u.test(text.slice(Math.max(0, at - 20), at));
}

/** A single quote closes a string only where something of JSON follows: `it's` stays whole. */
function endsString(text: string, at: number): boolean {
  return text[at] === '"' || /^\s*(?:[,:}\]]|$)/u.test(text.slice(at + 1, at + 20));
}
