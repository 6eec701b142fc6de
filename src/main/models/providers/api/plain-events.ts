import { jsonIn } from '@shared/text/json-in.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { orNoted } from '../../../lib/log.ts';
import { messageIn } from './get-json.ts';
import { notAnAnswer, notStreamed } from './service-fetch.ts';

/**
 * A `fetch` whose answers to calls are streams of events as the references have them, whatever the type of the answer
 * says: one JSON value in each event, and no empty ones. A whole answer, or lines of JSON, become such a stream, and an
 * error in a 200 becomes the refusal that it is.
 */
export function createEventFetch(get: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await get(input, init);
    if ((init?.method ?? 'GET') === 'GET') return response;
    if (!response.ok) return readableRefusal(response);
    if (response.body === null) return emptyStream();
    const rest = textsOf(response.body);
    const start = await beginningOf(rest);
    if (/^[[{]/u.test(start)) return ofJson(response, start + (await textOf(rest)));
    // Nothing came, or less than the name of a field.
    if (fieldNames.some((name) => name.startsWith(start))) return emptyStream();
    if (!/^(?:data|event|id|retry)?:/u.test(start)) throw notAnAnswer(response, start + (await textOf(rest)));
    return new Response(bytesOf(plainEvents(start, rest)), { status: response.status, headers: streamType });
  };
}

const fieldNames = ['data:', 'event:', 'id:', 'retry:'];
const streamType = { 'content-type': 'text/event-stream' };
const emptyStream = (): Response => new Response('', { headers: streamType });

/** A refusal in a form of its own, or without words, in the form that the packages read. */
async function readableRefusal(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const text = await response.text();
  const body = jsonIn(text);
  const hasOwn = isRecord(body) ? body['error'] !== undefined : text.trim() !== '';
  const said = text.trim() === '' ? 'It refused the call and did not say why.' : messageIn(text);
  const plain = hasOwn ? text : JSON.stringify({ error: { message: said } });
  return new Response(plain, { status, statusText, headers });
}

type Texts = AsyncGenerator<string, void, void>;

async function* textsOf(body: AsyncIterable<Uint8Array>): Texts {
  const decoder = new TextDecoder();
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

/** Reads until it is clear what the body is. Rejects when the connection breaks before. */
async function beginningOf(rest: Texts): Promise<string> {
  let start = '';
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return start;
    start = `${start}${value}`.trimStart();
    // The longest name of a field, and its colon.
    if (start.length >= 'event:'.length || /^[[{:]/u.test(start)) return start;
  }
}

async function textOf(rest: Texts): Promise<string> {
  let text = '';
  for await (const more of rest) text += more;
  return text;
}

/** Reads nothing ahead, so that a caller sees when a piece came. */
function bytesOf(texts: Texts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await texts.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      // A read that is under way ends with the abort of its call, so nobody waits here.
      cancel: () => void texts.return().catch(orNoted('An answer could not be closed', undefined)),
    },
    { highWaterMark: 0 },
  );
}

/** A whole answer in place of a stream, or its parts as lines of JSON. */
function ofJson(response: Response, text: string): Response {
  const whole = jsonIn(text);
  // What was cut off is left out: the answer has no end then.
  const values = whole === null ? valuesIn(text.slice(0, endsOfValues(text).at(-1) ?? 0)) : [whole].flat();
  const refusal = values.length === 1 ? refusalIn(values[0]) : null;
  if (refusal !== null) return Response.json({ error: refusal.error }, { status: refusal.status });
  if (whole === null && values.length === 0) return emptyStream();
  if (values.length === 0 || !values.every(isAnswer)) throw notAnAnswer(response, text);
  if (!values.every(isPiece)) throw notStreamed(response);
  const frames = values.map((value) => `data: ${JSON.stringify(asPiece(value))}\n\n`);
  return new Response(`${frames.join('')}data: [DONE]\n\n`, { headers: streamType });
}

/** A whole answer of Chat Completions as a stream of one piece. */
function asPiece(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value['choices'])) return value;
  const choices = value['choices'].map((choice: unknown) =>
    isRecord(choice) ? { ...choice, delta: choice['delta'] ?? choice['message'] } : choice,
  );
  return { ...value, choices };
}

/** Whether it looks like an answer of any of the services, whole or in part. */
function isAnswer(value: unknown): boolean {
  const parts = ['choices', 'content', 'output', 'candidates', 'type'];
  return isRecord(value) && parts.some((name) => name in value);
}

/** Whether it can stand as a piece of a stream. */
function isPiece(value: unknown): boolean {
  return isRecord(value) && ('choices' in value || 'candidates' in value);
}

interface InnerRefusal {
  readonly status: number;
  readonly error: unknown;
}

/** An error where an answer should be, in the forms of several servers. Null: it is none. */
function refusalIn(value: unknown): InnerRefusal | null {
  if (!isRecord(value)) return null;
  const { error } = value;
  if (error === undefined || error === null) {
    if (isAnswer(value) || !(isText(value['detail']) || isText(value['message']))) return null;
    return { status: statusIn(value), error: { message: messageIn(JSON.stringify(value)) } };
  }
  return { status: statusIn(error), error: isRecord(error) ? error : { message: messageIn(JSON.stringify(error)) } };
}

function statusIn(error: unknown): number {
  const status = Number(fieldOf(error, 'code'));
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Rewrites a stream event by event. Lines may end in any of the three ways, also between two chunks. */
async function* plainEvents(start: string, rest: Texts): Texts {
  // Put together at the end of a line only: one of many pieces would be copied for each of them.
  const pieces: string[] = [];
  let event: string[] = [];
  let isAfterReturn = false;
  const take = (chunk: string): string => {
    const isInLine = !/[\r\n]/u.test(chunk) && !isAfterReturn;
    pieces.push(chunk);
    if (chunk !== '') isAfterReturn = chunk.endsWith('\r');
    if (isInLine) return '';
    const open = pieces.splice(0).join('');
    // A carriage return at the end may be half of a line's end.
    const last = Math.max(open.lastIndexOf('\n'), open.lastIndexOf('\r', open.length - 2));
    const lines = open.slice(0, last + 1).split(/\r\n|[\r\n]/u);
    pieces.push(open.slice(last + 1));
    let plain = '';
    for (const line of lines.slice(0, -1)) {
      if (line !== '') event.push(line);
      else {
        plain += plainEvent(event);
        event = [];
      }
    }
    return plain;
  };
  const first = take(start);
  if (first !== '') yield first;
  for await (const chunk of rest) {
    const plain = take(chunk);
    if (plain !== '') yield plain;
  }
  const open = pieces.join('');
  const lines = open.split(/[\r\n]/u).filter((line) => line !== '');
  const plain = plainEvent([...event, ...lines]);
  // Whether an event without its end counts is for the reader to say.
  if (plain !== '') yield plain.replace(/\n\n$/u, open === '' ? '\n' : '');
}

/** The events that the lines of one stand for, one JSON value in each. Empty: nothing that counts. */
function plainEvent(lines: readonly string[]): string {
  const names = fieldsOf(lines, 'event');
  const name = names.at(-1) ?? '';
  const data = fieldsOf(lines, 'data').join('\n').trim();
  // Some servers keep a connection alive so.
  if (data === '' || /^(?:ping|keep-?alive|heartbeat)$/iu.test(data)) return '';
  const head = name === '' ? '' : `event: ${name}\n`;
  const sent = (values: readonly string[]): string => values.map((one) => `${head}data: ${one}\n\n`).join('');
  const isPlain = !data.includes('\n') && !/\}\s*\{/u.test(data);
  if (data === '[DONE]') return sent([data]);
  if (name === 'error' && !data.startsWith('{')) return errorEvent({ message: data });
  if (isPlain && data.includes('"choices"')) return sent([data]);
  const whole = jsonIn(data);
  if (whole !== null && isPlain && errorIn(whole) === null) return sent([data]);
  const [before = '', isLast] = data.split(/\[DONE\]$/u);
  const values = whole === null ? valuesIn(before) : [whole];
  // The reader says that it cannot be read.
  if (values.length === 0) return sent([data.replaceAll('\n', ' ')]);
  const end = isLast === undefined ? [] : ['[DONE]'];
  return values.map((value) => errorIn(value) ?? sent([JSON.stringify(value)])).join('') + sent(end);
}

/** The event that all packages know, for an error in whatever form. Null: it is none. */
function errorIn(value: unknown): string | null {
  const refusal = isAnswer(value) ? null : refusalIn(value);
  return refusal === null ? null : errorEvent(refusal.error);
}

const errorEvent = (error: unknown): string => `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;

function fieldsOf(lines: readonly string[], name: string): readonly string[] {
  return lines.flatMap((line) => {
    const text = line.startsWith('\uFEFF') ? line.slice(1) : line;
    return text.startsWith(`${name}:`) ? [text.slice(name.length + 1).replace(/^ /u, '')] : [];
  });
}

/** JSON values that stand behind each other, in lines or not. Empty: there is something else. */
function valuesIn(text: string): readonly unknown[] {
  const values: unknown[] = [];
  let from = 0;
  for (const at of endsOfValues(text)) {
    const value = jsonIn(text.slice(from, at));
    if (value === null) return [];
    values.push(value);
    from = at;
  }
  return text.slice(from).trim() === '' ? values : [];
}

/** Where a value ends: behind a bracket or brace that closes the first one. A string without an end takes the rest. */
function endsOfValues(text: string): readonly number[] {
  const ends: number[] = [];
  let depth = 0;
  for (const found of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gsu)) {
    const [mark] = found;
    if (mark === '{' || mark === '[') depth += 1;
    if (mark !== '}' && mark !== ']') continue;
    depth -= 1;
    if (depth === 0) ends.push(found.index + 1);
  }
  return ends;
}
