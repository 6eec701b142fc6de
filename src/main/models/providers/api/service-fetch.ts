import { proxyOf } from '../../../lib/net/net-fetch.ts';
import { limitedAnswer, mostListBytes, mostStreamBytes, beginningOf } from '../../../lib/net/limited-answer.ts';
import { PermanentError } from '../../../lib/net/permanent-error.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import { isRecord } from '@shared/unknown-value.ts';
import type { ProviderError } from '../define.ts';
import { nothingThere, withNextStep } from './next-step.ts';
import { isWebPage, readable, retryAfterMs } from './http-errors.ts';

const mostRedirects = 3;
/** The most of a refusal that is read, in bytes. */
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
      const isPage = /text\/html/iu.test(response.headers.get('content-type') ?? '');
      if (isPage) throw notAnAnswer(response, await beginningOf(response, longestRefusal));
      return limitedAnswer(response, isCall ? mostStreamBytes : mostListBytes);
    }
    const text = await beginningOf(response, longestRefusal);
    const url = new URL(urlOf(input));
    const error =
      isCall && isMissing(response.status, text) ? missing(response, text, url) : pageError(response, text, url.host);
    if (error !== null) throw failedWith(new RefusedOnTheWay(error));
    if (response.status < 400)
      throw stopped(`${url.host} answers with ${response.status} and nothing else. Check its address.`);
    return new Response(text, { status: response.status, statusText: response.statusText, headers: plain(response) });
  };
}

/** Something answered, and no model. */
export function notAnAnswer(response: Response, text: string): TypeError {
  const said = isWebPage(text) ? readable(text) : `"${readable(text.trim()).slice(0, 200)}"`;
  const portal = isWebPage(text) ? '; a network that wants you to sign in first answers so, too' : '';
  return stopped(
    `The provider answered with ${said}, not with a model's answer${throughOf(response)}. Check its address${portal}.`,
  );
}

/** A model answered, but all at once. */
export function notStreamed(response: Response): TypeError {
  return stopped(
    `The provider sent its whole answer at once, although a stream was asked for${throughOf(response)}. If something stands between, let it pass streams on.`,
  );
}

/** The body was read already, so the answer has neither its old length nor its compression. */
function plain({ headers }: Response): Headers {
  const kept = new Headers(headers);
  kept.delete('content-encoding');
  kept.delete('content-length');
  return kept;
}

async function followed(
  get: typeof fetch,
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  let target = withoutCredentials(urlOf(input), init);
  for (let redirects = 0; ; redirects += 1) {
    const { url } = target;
    const response = await get(url, { ...target.init, redirect: 'manual' }).catch((error: unknown) => {
      throw init.signal?.aborted === true ? error : withNextStep(error, url);
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel().catch(() => undefined);
    const next = URL.parse(location, target.url);
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
  if (status === 400 && wantsEncryption.test(text))
    return {
      code: 'bad-request',
      message: `${host} answers only with encryption. Set an address that begins with https://.`,
      retryable: false,
    };
  if (!isWebPage(text) && !(isTransport(status) && !isJson(text))) return null;
  // The service says this itself, in whatever form.
  if ([402, 404, 405].includes(status)) return null;
  const what = text.trim() === '' ? 'an empty answer' : readable(text);
  const wait = retryAfterMs(headers);
  const { code, says, retryable = false } = refusals[status] ?? (status < 500 ? notAModel : failedServer);
  const message = says({ host, status, what: `${status}: ${what}`, through: throughOf(response) });
  return { code, message, retryable, ...(retryable && wait !== null ? { retryAfterMs: wait } : {}) };
}

/** What nginx and servers in Go say at a port with encryption. */
const wantsEncryption = /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server/iu;

interface OnTheWay {
  readonly host: string;
  readonly status: number;
  /** The status and what stood in the answer. */
  readonly what: string;
  /** `, through the proxy …`; may be empty. */
  readonly through: string;
}

interface RefusalOnTheWay {
  readonly code: ProviderError['code'];
  readonly says: (on: OnTheWay) => string;
  readonly retryable?: true;
}

const notAModel: RefusalOnTheWay = {
  code: 'bad-request',
  says: ({ host, what, through }) => `${host} answers like no model provider (${what})${through}. Check its address.`,
};
const failing = (why: string): RefusalOnTheWay => ({
  code: 'overloaded',
  retryable: true,
  says: ({ host, what, through }) => `${host} failed (${what})${through}: ${why}.`,
});
const failedServer = failing('the server failed');
const behindIsAway = failing('the server behind it does not answer');
const behindIsSlow = failing('the server behind it took too long');

/** What a refusal of something else than the service means, by its status. */
const refusals: Readonly<Record<number, RefusalOnTheWay>> = {
  401: {
    code: 'blocked',
    says: ({ host, what, through }) =>
      `Something before ${host} wants a name and a password (${what})${through}. Your key was not judged. Put them into the address: https://NAME:PASSWORD@HOST.`,
  },
  403: {
    code: 'blocked',
    says: ({ host, what, through }) =>
      `Something between here and ${host} refused the call (${what})${through}: a proxy, a firewall or a filter. Your key was not judged. Ask whoever runs the network, or set another proxy: connection.proxy.`,
  },
  407: {
    code: 'blocked',
    says: ({ host, through }) =>
      `A proxy before ${host} wants a name and a password (407)${through}. Set connection.proxy to http://NAME:PASSWORD@HOST:PORT.`,
  },
  408: behindIsSlow,
  413: {
    code: 'context-full',
    says: ({ host, what, through }) =>
      `A gateway before ${host} takes no request of this size (${what})${through}. Whoever runs it can raise its limit (client_max_body_size in nginx).`,
  },
  429: {
    code: 'rate-limit',
    retryable: true,
    says: ({ host, what, through }) => `${host} takes no more calls for now (${what})${through}.`,
  },
  451: {
    code: 'blocked',
    says: ({ host, what, through }) =>
      `${host} may not be used from here for legal reasons (${what})${through}. Choose another provider.`,
  },
  // A server for files does not know the method.
  501: notAModel,
  502: behindIsAway,
  503: behindIsAway,
  504: behindIsSlow,
  511: {
    code: 'blocked',
    says: ({ what }) =>
      `The network wants you to sign in first (${what}). Open any page in a browser, then send the task again.`,
  },
  521: behindIsAway,
  522: behindIsAway,
  523: behindIsAway,
  524: behindIsSlow,
};

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

const urlOf = (input: Parameters<typeof fetch>[0]): string => (input instanceof Request ? input.url : String(input));

function stopped(message: string): TypeError {
  return failedWith(new PermanentError(message));
}

/** In the shape of any failure of `fetch`. */
function failedWith(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause });
}
