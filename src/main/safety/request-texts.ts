import { readImageFacts } from '../lib/files/image-facts.ts';
import type { Part, ToolCallPart } from '@shared/models/model-messages.ts';
import { partSchema } from '@shared/models/model-messages.ts';
import type { FenceHit } from '@shared/safety/fences.ts';
import { keyOfHit } from '@shared/safety/fences.ts';
import type { NoteMore } from './fenced-texts.ts';
import { countRemoved } from './fenced-texts.ts';
import type { FenceTaint } from './taint.ts';
import { allTextsIn, mapTexts } from './value-texts.ts';
import { isRecord } from '@shared/unknown-value.ts';
import type { ModelRequest } from '../models/providers/define.ts';

/**
 * The only fields of a request that are not checked: figures, and the name of the model that gets the call. Every other
 * field is, whatever it is called, so that a new one needs no change here.
 */
const parameters: ReadonlySet<string> = new Set(['model', 'temperature', 'topP', 'seed', 'also', 'maxOutputTokens']);

/** Everything that a request carries besides its messages, by field. */
export function besidesMessages(request: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(request).filter(([name, value]) => !parameters.has(name) && name !== 'messages' && value !== null),
  );
}

/** What was found in a value is kept until something new is fenced, because most of a request stays from step to step. */
export type LookedAt = WeakMap<object, { readonly known: number; readonly hits: readonly FenceHit[] }>;

/** The fenced content in all texts of a value, and in its JSON, where a name and its value stand side by side. */
export function hitsInValue(taint: FenceTaint, looked: LookedAt, value: unknown): readonly FenceHit[] {
  if (typeof value !== 'object' || value === null) return hitsInTexts(taint, [...allTextsIn(value)]);
  const known = taint.known();
  const before = looked.get(value);
  if (before?.known === known) return before.hits;
  const hits = Array.isArray(value)
    ? value.flatMap((item: unknown) => hitsInValue(taint, looked, item))
    : hitsInTexts(taint, [...allTextsIn(value), JSON.stringify(value) ?? '']);
  looked.set(value, { known, hits });
  return hits;
}

/** The fenced content in all texts of a part. */
export function hitsInPart(taint: FenceTaint, looked: LookedAt, part: Part): readonly FenceHit[] {
  const known = taint.known();
  const before = looked.get(part);
  if (before?.known === known) return before.hits;
  const { type, ...rest } = part;
  const pairs = type === 'tool-call' ? [JSON.stringify(part.input) ?? ''] : [];
  const texts = part.type === 'image' ? textsOfImage(part) : [...allTextsIn(rest), ...pairs];
  const hits = hitsInTexts(taint, texts);
  looked.set(part, { known, hits });
  return hits;
}

/** A picture is no text. What only calls itself one is checked as a text. */
function textsOfImage({ data, name }: Extract<Part, { type: 'image' }>): readonly string[] {
  const isPicture = data === '' || readImageFacts(Buffer.from(data, 'base64')) !== null;
  return [...(name === undefined ? [] : [name]), ...(isPicture ? [] : [data])];
}

function hitsInTexts(taint: FenceTaint, texts: readonly string[]): readonly FenceHit[] {
  const found = texts.filter((text) => text !== '').flatMap((text) => taint.inText(text));
  return [...new Map(found.map((hit) => [keyOfHit(hit), hit])).values()];
}

export interface RedactedRequest {
  /** The same request if nothing was removed. */
  readonly request: ModelRequest;
  /** How many values were removed. */
  readonly removed: number;
}

export interface Redaction {
  /** What the model wrote itself is not hidden from it. */
  readonly isOwn?: (part: Part) => boolean;
  readonly redact: (text: string, note: NoteMore) => string;
  readonly isFenced: (text: string) => boolean;
}

/** The request without what is to be redacted, in any of its texts. */
export function redactRequest(request: ModelRequest, { isOwn, redact, isFenced }: Redaction): RedactedRequest {
  let removed = 0;
  const clean = (text: string): string => {
    if (text === '') return text;
    let more = 0;
    const once = redact(text, (count) => void (more += count));
    // A match that remains is inside an encoding that could not be undone, so the whole text is replaced.
    const isWhole = isFenced(once);
    if (isWhole || once !== text) removed += Math.max(1, countRemoved(text, once) + more + (isWhole ? 1 : 0));
    return isWhole ? '[fenced]' : once;
  };
  const onRemoved = (): void => void (removed += 1);
  const cleanValue = (value: unknown): unknown => mapPairs(mapTexts(value, clean), { isFenced, onRemoved });
  const messages = request.messages.map((message) => {
    const parts = message.parts.map((part) => (isOwn?.(part) === true ? part : redactPart(part, clean, cleanValue)));
    return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
  });
  const rest = Object.entries(besidesMessages(request)).flatMap(([name, value]) => {
    const cleaned = cleanValue(value);
    return cleaned === value ? [] : [[name, cleaned] as const];
  });
  const isSame = rest.length === 0 && messages.every((message, index) => message === request.messages[index]);
  return { request: isSame ? request : { ...request, messages, ...Object.fromEntries(rest) }, removed };
}

/** A secret may be known only by the name beside it, such as a password. Then its value is removed. */
function mapPairs(value: unknown, pairs: Pick<Redaction, 'isFenced'> & { readonly onRemoved: () => void }): unknown {
  const { isFenced, onRemoved } = pairs;
  if (typeof value !== 'object' || value === null || !isFenced(JSON.stringify(value))) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item) => mapPairs(item, pairs));
  }
  const inner = Object.entries(value).map(([key, item]) => [key, mapPairs(item, pairs)] as const);
  const cleaned = Object.fromEntries(
    inner.map(([key, item]) => {
      const isLeaf = typeof item === 'string' || typeof item === 'number';
      if (!isLeaf || !isFenced(JSON.stringify({ [key]: item }))) return [key, item];
      onRemoved();
      return [key, '[fenced]'];
    }),
  );
  if (!isFenced(JSON.stringify(cleaned))) return cleaned;
  // Nobody can say which of its values it is.
  onRemoved();
  return { fenced: '[fenced]' };
}

function redactPart(part: Part, clean: (text: string) => string, cleanValue: (value: unknown) => unknown): Part {
  if (part.type === 'image') {
    const isFree = textsOfImage(part).every((text) => clean(text) === text);
    return isFree ? part : { type: 'text', text: '[fenced]' };
  }
  const { type, ...rest } = part;
  const cleaned = 'input' in rest ? cleanedCall(rest, clean, cleanValue) : mapTexts(rest, clean);
  if (cleaned === rest || !isRecord(cleaned)) return part;
  // A signed block is invalid once it was changed, so its signature is dropped.
  const { by: _by, state: _state, ...unsigned } = cleaned;
  return partSchema.parse({ type, ...(type === 'reasoning' ? unsigned : cleaned) });
}

function cleanedCall(
  call: Omit<ToolCallPart, 'type'>,
  clean: (text: string) => string,
  cleanValue: (value: unknown) => unknown,
): unknown {
  const { input, ...rest } = call;
  const cleaned = cleanValue(input);
  const words = mapTexts(rest, clean);
  return cleaned === input && words === rest ? call : Object.assign({}, words, { input: cleaned });
}
