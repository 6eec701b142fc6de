import { textsBetween } from '../../lib/text-between.ts';
import { gemmaCall, pythonCalls } from './literal-calls.ts';
import { objectAfter } from './object-after.ts';
import type { RawCall } from './object-after.ts';
import { readJson } from './read-arguments.ts';

/**
 * Formats with the name before the object of arguments. Models write them if their template, or its parser in the
 * engine, is missing.
 */
const named: readonly RegExp[] = [
  /\[TOOL_CALLS\]\s*([\w-]+)\s*(?:\[CALL_ID\]\w{1,60}\s*)?(?:\[ARGS\]\s*)?(?=\{)/gu,
  /to=functions\.([\w-]+)[^{]{0,60}<\|message\|>\s*(?=\{)/gu,
  /<\|tool_call_begin\|>\s*(?:functions\.)?([\w-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(?=\{)/gu,
  /<｜tool▁sep｜>\s*([\w-]+)\s*(?:```json\s*)?(?=\{)/gu,
  /<｜tool▁call▁begin｜>\s*([\w-]+)<｜tool▁sep｜>\s*(?=\{)/gu,
  /<\|tool_call:name\|>\s*([\w-]+)<\|tool_call:args\|>\s*(?=\{)/gu,
  /<function=([\w-]+)>\s*(?=\{)/gu,
  /<tool_call>\s*([\w-]+)\s*(?=\{)/gu,
  /(?:^|\n)Action:[ \t]*([\w-]+)[ \t]*\r?\n\s*Action Input:\s*(?=\{)/gu,
];

/** Formats with tags around the name and each argument. A second group of `opening` gives the type of the argument. */
interface TaggedForm {
  readonly call: RegExp;
  readonly end: string;
  readonly field: { readonly opening: RegExp; readonly closing: string };
}

const tagged: readonly TaggedForm[] = [
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
    call: /<atem:invoke name="([\w-]+)">/gu,
    end: '</atem:invoke>',
    field: { opening: /<atem:parameter name="([\w-]+)">/gu, closing: '</atem:parameter>' },
  },
  {
    call: /<｜DSML｜invoke name="([\w-]+)">/gu,
    end: '</｜DSML｜invoke>',
    field: {
      opening: /<｜DSML｜parameter name="([\w-]+)"(?: string="(true|false)")?>/gu,
      closing: '</｜DSML｜parameter>',
    },
  },
  {
    call: /<\|open\|>call tool="([\w-]+)"[^<>]{0,60}<\|sep\|>/gu,
    end: '<|close|>call<|sep|>',
    field: {
      opening: /<\|open\|>argument key="([\w-]+)" type="(\w+)"<\|sep\|>/gu,
      closing: '<|close|>argument<|sep|>',
    },
  },
  {
    call: /<tool_call>\s*([\w-]+)\s*(?=<arg_key>)/gu,
    end: '</tool_call>',
    field: { opening: /<arg_key>([\w-]+)<\/arg_key>\s*<arg_value>/gu, closing: '</arg_value>' },
  },
];

/** Formats with literals between marks. */
const literal: readonly {
  readonly opening: RegExp;
  readonly closing: string;
  readonly read: (inside: string) => readonly RawCall[] | null;
}[] = [
  { opening: /<\|tool_call_start\|>/gu, closing: '<|tool_call_end|>', read: pythonCalls },
  { opening: /```tool_code[ \t]*\r?\n/gu, closing: '\n```', read: pythonCalls },
  {
    opening: /<\|tool_call>(?=call:)/gu,
    closing: '<tool_call|>',
    read: (inside) => {
      const call = gemmaCall(inside);
      return call === null ? null : [call];
    },
  },
];

/** A whole answer that is a list of calls, as Llama writes it. */
const bareList = /^\s*(?=\[\w+\()/u;

/** Marks of a call in a format that is not read here. The model is asked again. */
const unread =
  /<tool_call>|<\|tool_call>|<function=|<invoke |\[TOOL_CALLS\]|to=functions\.|<\|tool_call_begin\|>|<｜tool▁call|<｜DSML｜|<atem:|<\|tool_call|<\|tools_prefix\|>|<\|open\|>call |<\|START_ACTION\|>|<TOOLCALL>|<\|python_tag\|>|```tool_code|(?:^|\n)Action:[ \t]*\w|^\s*\[\w+\(/u;

/** Every format has one of these marks. Most answers have none, and need not be searched for each format. */
const anyMark = /[<[]|to=functions\.|```tool_code|Action:/u;

/**
 * Calls in the format of another template. Use it only if no call in our own format was found, because a file's text
 * may contain such calls.
 */
export function callsInOtherFormats(text: string): readonly RawCall[] {
  if (!anyMark.test(text)) return [];
  for (const pattern of named) {
    const calls = namedCalls(text, pattern);
    if (calls.length > 0) return calls;
  }
  for (const form of tagged) {
    const calls = taggedCalls(text, form);
    if (calls.length > 0) return calls;
  }
  for (const { opening, closing, read } of literal) {
    // Engines remove marks that end an answer, so the last closing mark may be missing.
    const found = Array.from(textsBetween(text, opening, closing, { mayEndOpen: true }), ({ inside }) => read(inside));
    if (found.length > 0 && found.every((calls) => calls !== null)) return found.flat();
  }
  const listed = bareList.test(text) ? pythonCalls(text) : null;
  if (listed !== null) return listed;
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

/**
 * The spans of calls in these formats, in order, from mark to end, so that nothing inside is taken for another call.
 */
export function otherFormatSpans(text: string): readonly Span[] {
  const afterObject = (from: number): number => objectAfter(text, from)?.end ?? text.length;
  const spans = [
    ...named.flatMap((pattern) => spansOf(text, pattern, afterObject)),
    ...tagged.flatMap((form) => spansOf(text, form.call, (from) => endOfTagged(text, from, form) ?? text.length)),
    // Their texts may contain the closing mark, too.
    ...literal.flatMap(({ opening }) => spansOf(text, opening, () => text.length)),
    ...(bareList.test(text) ? [{ start: 0, end: text.length }] : []),
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

/** Removes the line breaks around a value on lines of its own. A line break only at its end is part of the value. */
function unpadded(value: string): string {
  return /^\r?\n([\s\S]*)\r?\n$/u.exec(value)?.[1] ?? value;
}

/** Reads calls one after the other. A mark inside a call starts no new call. */
function taggedCalls(text: string, form: TaggedForm): readonly RawCall[] {
  const calls: RawCall[] = [];
  let from = 0;
  for (const match of text.matchAll(form.call)) {
    if (match.index < from) continue;
    const end = endOfTagged(text, match.index + match[0].length, form);
    if (end === null) return [...calls, { text: text.slice(match.index), whole: false }];
    from = end;
    calls.push(taggedCall(text.slice(match.index, from), match, form));
  }
  return calls;
}

/**
 * The offset after the end of the call whose name ends at `from`, ignoring end marks inside an argument. Null: the call
 * is cut off.
 */
function endOfTagged(text: string, from: number, { end, field }: TaggedForm): number | null {
  const opening = new RegExp(field.opening.source, 'u');
  let endAt = -1;
  for (let at = from; ;) {
    if (endAt < at) endAt = text.indexOf(end, at);
    if (endAt === -1) return null;
    const next = opening.exec(text.slice(at, endAt));
    if (next === null) return endAt + end.length;
    const closingAt = text.indexOf(field.closing, at + next.index + next[0].length);
    if (closingAt === -1) return null;
    at = closingAt + field.closing.length;
  }
}

function taggedCall(raw: string, match: RegExpExecArray, { end, field }: TaggedForm): RawCall {
  const body = raw.slice(match[0].length, raw.length - end.length);
  const fields: (readonly [string, unknown])[] = [];
  let before = 0;
  for (const { opening, inside, end: after } of textsBetween(body, field.opening, field.closing)) {
    // Text beside the arguments belongs to none of them, so the call is not understood.
    if (body.slice(before, opening.index).trim() !== '') return { text: raw, whole: true, isUnread: true };
    const isText = opening[2] === undefined || opening[2] === 'true' || opening[2] === 'string';
    const value = isText ? unpadded(inside) : jsonOf(inside);
    if (value === undefined) return { text: raw, whole: true, isUnread: true };
    fields.push([opening[1] ?? '', value]);
    before = after;
  }
  if (body.slice(before).trim() !== '') return { text: raw, whole: true, isUnread: true };
  return { text: JSON.stringify({ tool: match[1], input: Object.fromEntries(fields) }), whole: true };
}

function jsonOf(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}
