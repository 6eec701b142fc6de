import { messageOf } from '@shared/errors.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import {
  countOfLog,
  countOfQuestion,
  createMessageRate,
  logMethod,
  tooManyMessages,
  type MessageRate,
} from '../../lib/message-rate.ts';

/** A single answer must not fill the memory of this program. */
const mostBytes = 64 * 1024 * 1024;
const tooLarge = 'it sent more than 64 MB';

/**
 * A `fetch` for one connection that ends answers which are too large or too many. If an event stream ends without the
 * answer to the request, an error is added as that answer. Otherwise the client package would wait forever.
 */
export function cappedFetch(reach: typeof fetch): typeof fetch {
  const allows = createMessageRate();
  return async (input, init) => {
    const sent = messageIn(init?.body);
    // The stream that carries the questions ends with its next message, and says why.
    if (isAnswer(sent) && !allows(countOfQuestion)) throw new Error(`The server was not answered: ${tooManyMessages}.`);
    const response = await reach(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const { status, statusText, headers } = response;
    const stream = isStream ? { asked: askedBy(sent), allows } : null;
    const body = cappedBody(response.body, stream);
    return new Response(body, { status, statusText, headers });
  };
}

type MessageId = string | number;

function messageIn(body: unknown): unknown {
  return typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : null;
}

function isAnswer(message: unknown): boolean {
  return fieldOf(message, 'id') !== undefined && fieldOf(message, 'method') === undefined;
}

/** The id of a request. Null: the message is not a request. */
function askedBy(message: unknown): MessageId | null {
  const id = fieldOf(message, 'method') === undefined ? null : fieldOf(message, 'id');
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

interface EventStream {
  readonly asked: MessageId | null;
  readonly allows: MessageRate;
}

function cappedBody(body: ReadableStream<Uint8Array>, stream: EventStream | null): ReadableStream<Uint8Array> {
  const asked = stream?.asked ?? null;
  const reader = body.getReader();
  let bytes = 0;
  // A stream whose last event has an id is requested again from there.
  let canGoOn = false;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const end = (why: string): void => {
        if (asked !== null) controller.enqueue(closing(asked, why));
        controller.close();
      };
      try {
        const { done, value } = await reader.read();
        if (done) return canGoOn ? controller.close() : end('its answer ended');
        bytes += value.length;
        const why = bytes > mostBytes ? tooLarge : stream?.allows(countOf(value)) === false ? tooManyMessages : null;
        if (why === null) {
          if (asked !== null) canGoOn ||= hasNumber(value);
          return controller.enqueue(value);
        }
        void reader.cancel().catch(() => undefined);
        return asked === null ? controller.error(new Error(`The server is cut off: ${why}.`)) : end(why);
      } catch (error) {
        return asked === null || canGoOn ? controller.error(error) : end(messageOf(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * Log lines count for less. They are recognized by their method name, so a server that writes that name elsewhere is
 * cut off a little later.
 */
function countOf(value: Uint8Array): number {
  const events = eventsIn(value);
  const text = Buffer.from(value.buffer, value.byteOffset, value.length);
  let logs = 0;
  for (let at = text.indexOf(logName); at !== -1 && logs < events; at = text.indexOf(logName, at + logName.length))
    logs += 1;
  return events - logs + logs * countOfLog;
}

const logName = `"method":"${logMethod}"`;

/** Counts the empty lines that end events. An end that is split between two chunks may be missed. */
function eventsIn(value: Uint8Array): number {
  let count = 0;
  for (let at = 1; at < value.length; at += 1) {
    const isEmpty = value[at] === 10 && (value[at - 1] === 10 || (value[at - 1] === 13 && value[at - 2] === 10));
    if (isEmpty) count += 1;
  }
  return count;
}

function hasNumber(value: Uint8Array): boolean {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length);
  return text.indexOf('id:') === 0 || text.includes('\nid:');
}

/** The first line breaks also end an event that is not complete. */
function closing(id: MessageId, why: string): Uint8Array {
  const error = { code: -32_000, message: `Connection closed: ${why}` };
  return Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`);
}
