import { AppError } from '@shared/errors.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { jsonOrText } from '@shared/text/json-in.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { rootCause } from '../../lib/net/root-cause.ts';
import { cappedFetch } from '../mcp/capped-fetch.ts';

/** The answer of the service, or why there is none. Error texts are the service's own words. */
export type ComposioAnswer =
  | { readonly type: 'ok'; readonly body: unknown }
  /** The service refused: its words, and whether it may have begun with the work. */
  | { readonly type: 'refused'; readonly status: number; readonly text: string; readonly mayHaveRun: boolean }
  /** `wasSent: false`: nothing reached the service. */
  | { readonly type: 'away'; readonly text: string; readonly wasSent: boolean };

export interface ComposioRequest {
  readonly method: 'GET' | 'POST';
  /** The path after `/api/v3.1`. The caller encodes each part. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

/** Rejects only with the reason of the signal. */
export type ComposioApi = (request: ComposioRequest, signal: AbortSignal) => Promise<ComposioAnswer>;

interface ApiOptions {
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

const longestError = 4_000;

/** A client for the API of Composio. It sends only the requests that callers make, and the key goes nowhere else. */
export function createComposioApi({ url, key, fetch: reach, timeoutMs }: ApiOptions): ComposioApi {
  const ask = cappedFetch(reach);
  return async ({ method, path, query = {}, body, timeoutMs: ownMs }, signal) => {
    const address = new URL(`/api/v3.1${path}`, url);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const limitMs = ownMs ?? timeoutMs;
    const limit = childAbort(signal, { ms: limitMs });
    try {
      const response = await ask(address.href, {
        method,
        headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would take the key along.
        redirect: 'error',
        signal: limit.signal,
      });
      const text = await response.text();
      if (response.ok) return { type: 'ok', body: jsonOrText(text) };
      const { status } = response;
      return { type: 'refused', status, text: errorText(response, text), mayHaveRun: status >= 500 };
    } catch (error) {
      signal.throwIfAborted();
      if (limit.signal.aborted) {
        return { type: 'away', text: `it did not answer within ${Math.round(limitMs / 1000)} s`, wasSent: true };
      }
      return awayBecause(error);
    } finally {
      limit.release();
    }
  };
}

/** The body of a successful answer. Otherwise throws with the service's words. Only for calls that change nothing. */
export function bodyOf(answer: ComposioAnswer, what: string): unknown {
  if (answer.type === 'ok') return answer.body;
  const isKey = answer.type === 'refused' && (answer.status === 401 || answer.status === 403);
  throw new AppError(isKey ? 'missing-key' : 'network', `${what}: ${answer.text}`, {
    hint: isKey
      ? 'Check the key of your project at Composio, and set it again.'
      : answer.type === 'away'
        ? 'Check your network and the address, then try again.'
        : 'Read what it says, then try again.',
  });
}

/** The service's error, word for word: message, suggested fix, request number for support, and when to try again. */
function errorText({ status, headers }: Response, text: string): string {
  const body = jsonOrText(text);
  const error = isRecord(body) && isRecord(body.error) ? body.error : body;
  const said = isRecord(error)
    ? [error.message, error.suggested_fix].filter((part) => typeof part === 'string' && part !== '')
    : [text.slice(0, longestError)];
  const id = isRecord(error) ? error.request_id : undefined;
  const after = headers.get('retry-after');
  return [
    `Composio answered ${status}: ${said.length === 0 ? text.slice(0, longestError) : said.join(' ')}`,
    ...(after === null ? [] : [`It can be asked again in ${after.slice(0, 40)} s.`]),
    ...(typeof id === 'string' ? [`Request ${id}.`] : []),
  ]
    .join(' ')
    .slice(0, longestError);
}

/** Errors that happen before anything is sent. */
const unsent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT|SSL|TLS/;

function awayBecause(error: unknown): ComposioAnswer {
  const root = error instanceof Error ? rootCause(error) : new Error(String(error));
  const code = String(Reflect.get(root, 'code') ?? '');
  const text = root.message === '' ? code : root.message;
  return { type: 'away', text: `it could not be reached: ${text}`, wasSent: !unsent.test(`${code} ${root.message}`) };
}
