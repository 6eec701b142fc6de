import { messageOf } from '@shared/errors.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import { addressBelow } from '../../../lib/net/base-address.ts';
import { errorOfGemini, geminiCodec, geminiErrorSchema } from '../../wire/gemini-codec.ts';
import type { ModelTarget } from '../api/api-provider.ts';
import { errorOfRefusal } from '../api/http-errors.ts';
import { codecWire } from '../call/codec-wire.ts';
import type { Wire } from '../call/stream-answer.ts';
import type { ModelRequest, ProviderError } from '../define.ts';
import { brokenStream, connectionError } from '../openai/openai-errors.ts';

export interface GeminiConnection {
  readonly baseUrl: string;
  readonly key: () => Promise<string | null>;
  readonly fetch: typeof fetch;
}

/** `streamGenerateContent` as server-sent events. Use it for one call only. */
export function geminiWire(
  connection: GeminiConnection,
  targetOf: (request: ModelRequest) => ModelTarget,
): Wire<unknown> {
  return codecWire({
    codec: geminiCodec,
    targetOf,
    send: async (body, signal, { model }) => {
      const path = `models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`;
      const url = addressBelow(connection.baseUrl, path);
      const key = await connection.key();
      const response = await connection.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'x-goog-api-key': key }) },
        body: JSON.stringify(body),
        signal,
      });
      if (!response.ok || response.body === null) throw await refusalOf(response);
      return events(response.body);
    },
    errorOf: (error) => (error instanceof RefusedError ? error.refusal : networkError(error)),
  });
}

class RefusedError extends Error {
  readonly refusal: ProviderError;

  constructor(refusal: ProviderError) {
    super(refusal.message);
    this.name = 'RefusedError';
    this.refusal = refusal;
  }
}

async function refusalOf(response: Response): Promise<RefusedError> {
  const text = await response.text().catch((error: unknown) => messageOf(error));
  const body = jsonIn(text);
  const said = geminiErrorSchema.safeParse(Array.isArray(body) ? body[0] : body);
  if (said.success) return new RefusedError(errorOfGemini(said.data.error, response));
  return new RefusedError(
    errorOfRefusal({ status: response.status, message: text.slice(0, 300), headers: response.headers }),
  );
}

/** The built-in `fetch` only says that it failed. Its cause says why. */
function networkError(error: unknown): ProviderError {
  if (error instanceof TypeError && error.message === 'fetch failed') return connectionError(error);
  return brokenStream(error);
}

async function* events(body: AsyncIterable<Uint8Array>): AsyncIterable<unknown> {
  // Gateways of another kind end a stream with a word.
  for await (const data of readSse(body)) if (data !== '[DONE]') yield JSON.parse(data);
}

/**
 * Yields the `data` of each server-sent event, in order. Handles characters that are split between chunks, and all
 * three line endings. Ignores a last event that no empty line ends.
 */
export async function* readSse(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line ending.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(whole.length);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  }
}
