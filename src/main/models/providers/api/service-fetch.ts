import { proxyOf } from '../../../lib/net/net-fetch.ts';
import { PermanentError } from '../../../lib/net/permanent-error.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import type { ProviderError } from '../define.ts';
import { nothingThere } from './base-address.ts';
import { isWebPage, readable, retryAfterMs } from './http-errors.ts';

const mostRedirects = 3;
/** The most of a refusal that is read, in characters. */
const longestRefusal = 100_000;

/** Something else than the provider refused: a proxy, a gateway, a portal. Says what, in our words. */
export class RefusedOnTheWay extends Error {
  readonly error: ProviderError;

  constructor(error: ProviderError) {
    super(error.message);
    this.name = 'RefusedOnTheWay';
    this.error = error;
  }
}

/**
 * A `fetch` for services, which answer neither with a web page nor from another address. What comes from something in
 * between is told from what the service says. A prompt never follows a redirect to another server.
 */
export function createServiceFetch(get: typeof fetch): typeof fetch {
  return async (input, init) => {
    const isCall = isPosted(init);
    const response = await followed(get, input, init);
    if (response.ok) {
      const type = response.headers.get('content-type') ?? '';
      if (/application\/json/iu.test(type) && isCall) return asStream(response);
      if (!/text\/html/iu.test(type)) return response;
      const page = readable(await response.text());
      throw stopped(
        `The provider answered with ${page}, not with a model's answer${throughOf(response)}. Check its address; a network that wants you to sign in first answers so, too.`,
      );
    }
    const text = (await response.text()).slice(0, longestRefusal);
    const url = new URL(urlOf(input));
    const error =
      isCall && isMissing(response.status, text) ? missing(response, text, url) : pageError(response, text, url.host);
    if (error !== null) throw failedWith(new RefusedOnTheWay(error));
    return new Response(text, { status: response.status, statusText: response.statusText, headers: plain(response) });
  };
}

/**
 * A server that answers a call with JSON in place of a stream: a whole answer of Chat Completions becomes a stream of
 * one piece, and an error the refusal that it is. Everything else stays.
 */
async function asStream(response: Response): Promise<Response> {
  const text = await response.text();
  const body = jsonIn(text);
  if (!isRecord(body)) return new Response(text, { headers: plain(response) });
  if (body['error'] !== undefined && body['error'] !== null) {
    const status = Number(fieldOf(body['error'], 'code'));
    const isStatus = Number.isInteger(status) && status >= 400 && status < 600;
    return new Response(text, { status: isStatus ? status : 500, headers: plain(response) });
  }
  const { choices } = body;
  if (!Array.isArray(choices)) return new Response(text, { headers: plain(response) });
  const pieces = choices.map((choice: unknown) =>
    isRecord(choice) ? { ...choice, delta: choice['message'] } : choice,
  );
  const frame = `data: ${JSON.stringify({ ...body, choices: pieces })}\n\ndata: [DONE]\n\n`;
  return new Response(frame, { headers: { 'content-type': 'text/event-stream' } });
}

/** The body was read already, so it has neither its old length nor its compression. */
function plain({ headers }: Response): Headers {
  const kept = new Headers(headers);
  kept.delete('content-encoding');
  kept.delete('content-length');
  return kept;
}

async function followed(get: typeof fetch, input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  let target = withoutCredentials(urlOf(input), init);
  for (let redirects = 0; ; redirects += 1) {
    const response = await get(target.url, { ...target.init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel().catch(() => undefined);
    const next = URL.parse(new URL(location, target.url).href);
    const from = new URL(target.url);
    const isSame = next?.origin === from.origin;
    // With these, a request would become another one.
    const isChanged = response.status < 307 && isPosted(init);
    if (next === null || !isSame || isChanged || redirects === mostRedirects)
      throw stopped(
        `${from.host} sends the call on to ${next === null ? location : `${next.origin}${next.pathname}`} (${response.status}). Nothing was sent there. If that address is right, set it as the address of this provider.`,
      );
    target = { url: next.href, init: target.init };
  }
}

/** A name and a password in the address become a header, because `fetch` refuses them. */
function withoutCredentials(text: string, init: RequestInit): { readonly url: string; readonly init: RequestInit } {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url: text, init };
  const headers = new Headers(init.headers);
  const said = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  headers.set('authorization', `Basic ${Buffer.from(said).toString('base64')}`);
  url.username = '';
  url.password = '';
  return { url: url.href, init: { ...init, headers } };
}

/** A wrong address, and no unknown model. */
function isMissing(status: number, text: string): boolean {
  return (status === 404 || status === 405) && (isWebPage(text) || !/model|deployment/iu.test(text));
}

function missing(response: Response, text: string, url: URL): ProviderError {
  const said = text.trim() === '' ? 'an empty answer' : readable(text);
  const message = `${url.host} has nothing at ${url.pathname} (${response.status}: ${said})${throughOf(response)}. ${nothingThere(url.href)}`;
  return { code: 'missing-model', message, retryable: false };
}

/** Null: the service itself refused, in its own format. */
function pageError(response: Response, text: string, host: string): ProviderError | null {
  const { status, headers } = response;
  if (!isWebPage(text) && !(isTransport(status) && !isJson(text))) return null;
  const said = text.trim() === '' ? 'an empty answer' : readable(text);
  const through = throughOf(response);
  const lasting = (code: ProviderError['code'], message: string): ProviderError => ({
    code,
    message,
    retryable: false,
  });
  switch (status) {
    case 402:
    case 404:
    case 405:
      return null;
    case 401:
      return lasting(
        'blocked',
        `Something before ${host} wants a name and a password (401), and answers with ${said}${through}. Your key was not judged. Put them into the address: https://NAME:PASSWORD@HOST.`,
      );
    case 407:
      return lasting(
        'blocked',
        `A proxy before ${host} wants a name and a password (407)${through}. Set connection.proxy to http://NAME:PASSWORD@HOST:PORT.`,
      );
    case 403:
      return lasting(
        'blocked',
        `Something between here and ${host} refused the call (403) and answers with ${said}${through}: a proxy, a firewall or a filter. Your key was not judged. Ask whoever runs the network, or set another proxy: connection.proxy.`,
      );
    case 451:
      return lasting(
        'blocked',
        `${host} may not be used from here for legal reasons (451: ${said})${through}. Choose another provider.`,
      );
    case 511:
      return lasting(
        'blocked',
        `The network wants you to sign in first (511: ${said}). Open any page in a browser, then send the task again.`,
      );
    case 413:
      return lasting(
        'context-full',
        `A gateway before ${host} takes no request of this size (413: ${said})${through}. Whoever runs it can raise its limit (client_max_body_size in nginx).`,
      );
    default: {
      const later = retryAfterMs(headers);
      const wait = later === null ? {} : { retryAfterMs: later };
      if (status === 429)
        return {
          code: 'rate-limit',
          message: `${host} takes no more calls for now (429: ${said})${through}.`,
          retryable: true,
          ...wait,
        };
      // A server for files does not know the method.
      if (status < 500 || status === 501)
        return lasting(
          'bad-request',
          `${host} answers with ${said} (${status})${through}, not like a model provider. Check its address.`,
        );
      const why =
        status === 504 || status === 524
          ? 'the server behind it took too long'
          : status === 502 || status === 503 || status === 521
            ? 'the server behind it does not answer'
            : 'the server failed';
      return {
        code: 'overloaded',
        message: `${host} answers with ${said} (${status})${through}: ${why}.`,
        retryable: true,
        ...wait,
      };
    }
  }
}

/** Statuses with which proxies and networks answer in plain text, too. */
function isTransport(status: number): boolean {
  return [403, 407, 451, 502, 504, 511].includes(status);
}

function isJson(text: string): boolean {
  return isRecord(jsonIn(text));
}

const throughOf = (response: Response): string => {
  const proxy = proxyOf(response);
  return proxy === null ? '' : `, through the proxy ${proxy}`;
};

const isPosted = (init?: RequestInit): boolean => (init?.method ?? 'GET') !== 'GET';

const urlOf = (input: RequestInfo | URL): string => (input instanceof Request ? input.url : String(input));

function stopped(message: string): TypeError {
  return failedWith(new PermanentError(message));
}

/** In the shape of any failure of `fetch`. */
function failedWith(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause });
}
