import { Ollama } from 'ollama/browser';
import { wholeLines } from './json-lines.ts';

/** Sends one request with the signal of its call. Rejects if nothing answers, or the server refuses. */
export type Send = (path: string, init: Pick<RequestInit, 'method' | 'body'>) => Promise<Response>;

/**
 * The client of the package `ollama`, for one call. The package accepts no signal for most requests, skips lines
 * that are not JSON and logs them to the console, and adds headers, including a key from the environment. A `fetch`
 * of our own for each call prevents all of that. `read` parses an answer, and throws if it cannot.
 */
export function askingClient(send: Send, read: (text: string) => unknown): Ollama {
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const response = await send(pathOf(input), bodyOf(init));
    return Object.assign(response, { json: async () => read(await response.text()) });
  };
  return new Ollama({ host: anyHost, fetch });
}

/** The body of one answer, line by line. */
interface Body {
  lines: AsyncGenerator<Uint8Array> | null;
  /** All of it was read, and every line was complete. */
  isRead: boolean;
}

/** The values of a streamed answer, one a line. `check` throws for a value that is an error. */
export async function streamedValues(
  { send, check }: { readonly send: Send; readonly check: (value: unknown) => void },
  start: (client: Ollama) => Promise<AsyncIterable<unknown>>,
): Promise<AsyncIterable<unknown>> {
  const body: Body = { lines: null, isRead: false };
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const response = await send(pathOf(input), bodyOf(init));
    if (response.body === null) return new Response(null);
    const lines = wholeLines(response.body, check);
    body.lines = lines;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { done, value } = await lines.next();
      if (done !== true) return controller.enqueue(value);
      body.isRead = true;
      controller.close();
    };
    // Nothing is read ahead, because a caller that stops early would have to wait for it.
    return new Response(new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }));
  };
  return untilEnd(await start(new Ollama({ host: anyHost, fetch })), body);
}

async function* untilEnd(values: AsyncIterable<unknown>, body: Body): AsyncGenerator<unknown> {
  let isWhole = false;
  try {
    yield* values;
    isWhole = true;
  } catch (error) {
    // The package throws if the last part is missing. Our reader of the values reports that better.
    if (!body.isRead) throw error;
  } finally {
    // The package stops at the last part. The rest is read, so that the connection can be reused. A caller that stops
    // early closes it.
    if (isWhole) await body.lines?.next();
    await body.lines?.return(undefined);
  }
}

/** The package needs a host, but `send` knows the address, with its path and its query. */
const anyHost = 'http://ollama.invalid';

const pathOf = (input: string | URL | Request): string =>
  new URL(input instanceof Request ? input.url : input).pathname;

function bodyOf({ method, body }: RequestInit): Pick<RequestInit, 'method' | 'body'> {
  return { ...(method === undefined ? {} : { method }), ...(body === undefined ? {} : { body }) };
}
