import { textsBetween } from '@shared/text/text-between.ts';
import { objectAfter } from './object-after.ts';
import type { RawCall } from './object-after.ts';

/** The name before its object of arguments, as families of models write it where their template or its reader is missing. */
const named: readonly RegExp[] = [
  /\[TOOL_CALLS\]\s*([\w-]+)\s*(?:\[ARGS\]\s*)?(?=\{)/gu,
  /to=functions\.([\w-]+)[^{]{0,60}<\|message\|>\s*(?=\{)/gu,
  /<\|tool_call_begin\|>\s*(?:functions\.)?([\w-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(?=\{)/gu,
  /<｜tool▁sep｜>\s*([\w-]+)\s*(?:```json\s*)?(?=\{)/gu,
  /<function=([\w-]+)>\s*(?=\{)/gu,
  /<tool_call>\s*([\w-]+)\s*(?=\{)/gu,
  /(?:^|\n)Action:[ \t]*([\w-]+)[ \t]*\r?\n\s*Action Input:\s*(?=\{)/gu,
];

/** The name and each argument between tags of their own. */
const tagged = [
  {
    call: /<function=([\w-]+)>/gu,
    end: '</function>',
    field: { opening: /<parameter=([\w-]+)>/gu, closing: '</parameter>' },
  },
  {
    call: /<invoke name="([\w-]+)">/gu,
    end: '</invoke>',
    field: { opening: /<parameter name="([\w-]+)">/gu, closing: '</parameter>' },
  },
  {
    call: /<tool_call>\s*([\w-]+)\s*(?=<arg_key>)/gu,
    end: '</tool_call>',
    field: { opening: /<arg_key>([\w-]+)<\/arg_key>\s*<arg_value>/gu, closing: '</arg_value>' },
  },
] as const;

/** What is a call for sure, and is not read: it is asked for again. */
const unread =
  /<tool_call>|<\|tool_call>|<function=|<invoke |\[TOOL_CALLS\]|to=functions\.|<\|tool_call_begin\|>|<｜tool▁call|<\|python_tag\|>|```tool_code|(?:^|\n)Action:[ \t]*\w|^\s*\[\w+\(/u;

/** Calls in the form of another template. To be asked only where no call of ours was found, for they may be in a file's text. */
export function foreignCalls(text: string): readonly RawCall[] {
  for (const pattern of named) {
    const calls = namedCalls(text, pattern);
    if (calls.length > 0) return calls;
  }
  for (const form of tagged) {
    const calls = taggedCalls(text, form);
    if (calls.length > 0) return calls;
  }
  const at = unread.exec(text)?.index;
  return at === undefined ? [] : [{ text: text.slice(at), whole: true, isUnread: true }];
}

function namedCalls(text: string, pattern: RegExp): readonly RawCall[] {
  const calls: RawCall[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const object = match.index < from ? null : objectAfter(text, match.index + match[0].length);
    if (object === null) continue;
    from = object.end;
    const input = object.call;
    calls.push({ text: `{"tool": ${JSON.stringify(match[1])}, "input": ${input.text}}`, whole: input.whole });
  }
  return calls;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where calls in such forms stand, from mark to end and in order, so that nothing inside is taken for another call. */
export function foreignSpans(text: string): readonly Span[] {
  const afterObject = (from: number): number => objectAfter(text, from)?.end ?? text.length;
  const afterTag = (tag: string, from: number): number => {
    const at = text.indexOf(tag, from);
    return at === -1 ? text.length : at + tag.length;
  };
  const spans = [
    ...named.flatMap((pattern) => spansOf(text, pattern, afterObject)),
    ...tagged.flatMap(({ call, end }) => spansOf(text, call, (from) => afterTag(end, from))),
  ];
  return spans.sort((a, b) => a.start - b.start);
}

function spansOf(text: string, pattern: RegExp, endAfter: (from: number) => number): readonly Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    if (match.index < (spans.at(-1)?.end ?? 0)) continue;
    spans.push({ start: match.index, end: endAfter(match.index + match[0].length) });
  }
  return spans;
}

/** Some put a value on lines of its own; a line break at its end alone is its own. */
function unpadded(value: string): string {
  return /^\r?\n([\s\S]*)\r?\n$/u.exec(value)?.[1] ?? value;
}

/** One after the other: what stands inside a call is none. */
function taggedCalls(text: string, form: (typeof tagged)[number]): readonly RawCall[] {
  const calls: RawCall[] = [];
  let from = 0;
  for (const match of text.matchAll(form.call)) {
    if (match.index < from) continue;
    const end = text.indexOf(form.end, match.index + match[0].length);
    if (end === -1) return [...calls, { text: text.slice(match.index), whole: false }];
    from = end + form.end.length;
    calls.push(taggedCall(text.slice(match.index, from), match, form));
  }
  return calls;
}

function taggedCall(raw: string, match: RegExpExecArray, { end, field }: (typeof tagged)[number]): RawCall {
  const body = raw.slice(match[0].length, raw.length - end.length);
  const fields: (readonly [string, string])[] = [];
  let before = 0;
  for (const { opening, inside, end: after } of textsBetween(body, field.opening, field.closing)) {
    // What stands beside the arguments is no part of any: such a call is not understood.
    if (body.slice(before, opening.index).trim() !== '') return { text: raw, whole: true, isUnread: true };
    fields.push([opening[1] ?? '', unpadded(inside)]);
    before = after;
  }
  if (body.slice(before).trim() !== '') return { text: raw, whole: true, isUnread: true };
  return { text: JSON.stringify({ tool: match[1], input: Object.fromEntries(fields) }), whole: true };
}
