import { otherFormatSpans } from './other-formats.ts';
import type { Span } from './other-formats.ts';
import { objectAfter } from './object-after.ts';
import type { RawCall } from './object-after.ts';

/** Where calls start: our own marker, the tags of the Qwen and Hermes families, and code fences. */
const opening =
  /TOOL_CALL:?|<tool_call>|<function_call>|<\|tool_call\|>|\[TOOL_CALLS\]|<TOOLCALL>|```[\w-]*[ \t]*\r?\n(?=\s*[{[])/gu;
/** Tells a call in bare JSON from other JSON in an answer. */
const nameKey = /["']?(?:tool|name|action|function|tool_name)["']?\s*:/u;

/**
 * The calls in a text, in order. Marked calls take precedence; only a text without marks is searched for bare JSON
 * objects that name a tool. Accepts prose around calls, fences, several calls in a row and several objects after one
 * mark. Anything inside another call is part of that call's text.
 */
export function extractCalls(text: string): readonly RawCall[] {
  const others = otherFormatSpans(text);
  const isBareFirst = text.trimStart().startsWith('{');
  const bare = isBareFirst ? bareCalls(text, others) : [];
  if (bare.length > 0) return bare;
  const marked = markedCalls(text, others);
  return marked.length > 0 || isBareFirst ? marked : bareCalls(text, others);
}

function markedCalls(text: string, others: readonly Span[]): readonly RawCall[] {
  const calls: RawCall[] = [];
  const isOtherFormat = insideOf(others);
  let from = 0;
  // No fence counts inside a fenced object that names no tool.
  let fenceFrom = 0;
  for (const match of text.matchAll(opening)) {
    const start = match.index + match[0].length;
    const isFence = match[0].startsWith('```');
    // A fence inside a marked block belongs to the same call.
    if (match.index < (isFence ? Math.max(from, fenceFrom) : from)) continue;
    if (isOtherFormat(match.index, from)) continue;
    if (text.slice(Math.max(0, match.index - 4), match.index).endsWith('END_')) continue;
    const next = objectAfter(text, start);
    if (next === null) {
      if (text.slice(start).trim() === '' && !isFence) calls.push({ text: '', whole: false });
      continue;
    }
    if (isFence && !nameKey.test(next.call.text)) {
      fenceFrom = next.end;
      continue;
    }
    calls.push(next.call);
    from = next.end;
  }
  return calls;
}

/** Whether a place is inside a span that starts at or after `from`. Call it with ascending places and starts. */
function insideOf(spans: readonly Span[]): (at: number, from: number) => boolean {
  let next = 0;
  let begun = 0;
  let end = 0;
  return (at, from) => {
    if (from > begun) [begun, end] = [from, 0];
    for (; next < spans.length; next += 1) {
      const span = spans[next];
      if (span === undefined || span.start >= at) break;
      if (span.start >= from) end = Math.max(end, span.end);
    }
    return at < end;
  };
}

function bareCalls(text: string, others: readonly Span[]): readonly RawCall[] {
  const isOtherFormat = insideOf(others);
  const calls: RawCall[] = [];
  let from = 0;
  for (
    let next = objectAfter(text, from, /(?:^|[\s:>])(?=\{)/gu);
    next !== null;
    next = objectAfter(text, from, /(?:^|[\s:>,])(?=\{)/gu)
  ) {
    const { start } = next;
    if (nameKey.test(next.call.text) && !isOtherFormat(start, 0)) calls.push(next.call);
    from = next.end;
    if (!next.call.whole) break;
  }
  return calls;
}
