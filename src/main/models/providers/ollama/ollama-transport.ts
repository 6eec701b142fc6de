import { Ollama } from 'ollama/browser';
import { wholeLines } from './json-lines.ts';

/** Sends one request, with the signal of its call. Rejects where nobody answers, and where the answer is a refusal. */
export type Send = (url: string, init: Pick<RequestInit, 'method' | 'body'>) => Promise<Response>;

/**
 * The client of the package `ollama`, for one call. It takes no signal for most of its requests, passes over a line that
 * is no JSON and writes of it to the console, and adds headers of its own, a key of the environment among them: so each
 * call has a `fetch` that sees to these. `read`: an answer as a value; throws where it is none.
 */
export function askingClient(address: string, send: Send, read: (text: string) => unknown): Ollama {
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const response = await send(urlOf(input), bodyOf(init));
    return Object.assign(response, { json: async () => read(await response.text()) });
  };
  return new Ollama({ host: address, fetch });
}

/** The body of one answer, line by line. */
interface Body {
  lines: AsyncGenerator<Uint8Array> | null;
  /** All of it was read, and every line was whole. */
  isRead: boolean;
}

/** The values of an answer that streams, one a line. `check` throws for one that is no part of an answer, but an error. */
export async function streamedValues(
  { address, send, check }: { readonly address: string; readonly send: Send; readonly check: (value: unknown) => void },
  start: (client: Ollama) => Promise<AsyncIterable<unknown>>,
): Promise<AsyncIterable<unknown>> {
  const body: Body = { lines: null, isRead: false };
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const response = await send(urlOf(input), bodyOf(init));
    if (response.body === null) return new Response(null);
    const lines = wholeLines(response.body, check);
    body.lines = lines;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { done, value } = await lines.next();
      if (done !== true) return controller.enqueue(value);
      body.isRead = true;
      controller.close();
    };
    // Nothing is read ahead: who leaves would wait for it.
    return new Response(new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }));
  };
  return untilEnd(await start(new Ollama({ host: address, fetch })), body);
}

async function* untilEnd(values: AsyncIterable<unknown>, body: Body): AsyncGenerator<unknown> {
  let isWhole = false;
  try {
    yield* values;
    isWhole = true;
  } catch (error) {
    // The package complains of an answer without its last part; who reads the values knows better what is missing.
    if (!body.isRead) throw error;
  } finally {
    // The package stops at the last part. What is behind it is read, so that the connection can be used again; it is
    // given up where somebody leaves before.
    if (isWhole) await body.lines?.next();
    await body.lines?.return(undefined);
  }
}

const urlOf = (input: string | URL | Request): string => (input instanceof Request ? input.url : String(input));

function bodyOf({ method, body }: RequestInit): Pick<RequestInit, 'method' | 'body'> {
  return { ...(method === undefined ? {} : { method }), ...(body === undefined ? {} : { body }) };
}
