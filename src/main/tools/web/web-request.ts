import { z } from 'zod';
import { failure, success, type Reply } from '@shared/errors.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import type { ReadDocument } from '../../documents/read-document.ts';

export const webMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type WebMethod = (typeof webMethods)[number];

/** Every request says its purpose. The user reads it in the question, marked as the model's words. */
export const whySchema = z.string().min(1).max(500).describe('what it is for; shown to the person');

/** A request as a tool wants it. Everything but `service` may be the model's words. */
export interface WebRequest {
  readonly method: WebMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The purpose, in the model's words. */
  readonly why: string;
  /** Set for a service that the user set up. */
  readonly service?: WebService;
}

/** `headers` hold the service's key and are not logged. `isInner`: it may be in the user's network, at any port. */
export interface WebService {
  readonly headers: Readonly<Record<string, string>>;
  readonly isInner: boolean;
}

/** A request that is valid, and may be sent once its host is allowed. */
export interface CheckedRequest extends Omit<WebRequest, 'url'> {
  readonly url: URL;
  /** The name that rules and questions use. */
  readonly host: string;
}

/** The answer of a host. */
export interface WebAnswer {
  /** The final address, after all redirects. */
  readonly url: string;
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The answer was longer than the limit. */
  readonly isCut: boolean;
}

/** Makes the web requests of a tool. Asks the user for each new host. Rejects with the signal's reason on abort. */
export type RequestWeb = (request: WebRequest) => Promise<Reply<WebAnswer>>;

/** The connection of one request, and whether it was allowed. */
export interface WebUse {
  readonly host: string;
  readonly port: number;
  readonly isAllowed: boolean;
  readonly reason: string;
  readonly address: string | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Bytes are only of Dewpoint itself, such as a push to a repository. */
export interface SentRequest extends Omit<CheckedRequest, 'body'> {
  readonly body: string | Uint8Array | null;
}

/** Makes one request and follows no redirect. Rejects only on abort, with the signal's reason. */
export type WebExchange = (
  request: SentRequest,
  how: {
    readonly signal: AbortSignal;
    readonly onUse: (use: WebUse) => void;
    /** How many bytes of the answer are here, so far. */
    readonly onReceived?: (bytes: number) => void;
  },
) => Promise<Reply<WebAnswer>>;

/** What `compose` passes to the web tools. */
export interface WebParts {
  readonly readDocument: ReadDocument;
  /** The service that is set up. A failure says what is missing. */
  readonly searchService: () => Promise<Reply<SearchAccess>>;
}

/** A search service as the user set it up. */
export interface SearchAccess {
  readonly service: string;
  readonly address: string | null;
  readonly key: string | null;
}

const longestUrl = 4_000;
/** The only headers that a model may set: no cookies, no credentials, nothing about the connection. */
const freeHeaders: readonly string[] = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-none-match',
  'prefer',
];
const mostRedirects = 5;

/** Whether the request is allowed at all: a public host name, the usual port, and no name or password. */
export function checkRequest(request: WebRequest): Reply<CheckedRequest> {
  const bad = (why: string): Reply<CheckedRequest> => failure('bad-input', `Not sent: ${why}`);
  const url = request.url.length > longestUrl ? null : URL.parse(request.url);
  if (url === null) return bad(`the address is invalid, or has more than ${longestUrl} characters.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return bad('only http:// and https:// addresses are read.');
  if (url.username !== '' || url.password !== '') return bad('an address with a name or password in it is not used.');
  const isOwn = request.service?.isInner === true;
  if (url.port !== '' && !isOwn) return bad('only the usual ports are reached, 80 and 443.');
  const host = canonicalHost(url.hostname) ?? (isOwn ? url.host : null);
  if (host === null) {
    const what =
      'only public names are reached: no addresses in numbers, and nothing on this machine or in its network.';
    return bad(what);
  }
  const header = Object.keys(request.headers).find((name) => !freeHeaders.includes(name.toLowerCase()));
  if (header !== undefined)
    return bad(`the header ${JSON.stringify(header.slice(0, 60))} is not sent. Usable: ${freeHeaders.join(', ')}.`);
  if (Object.values(request.headers).some((value) => !/^[\x20-\x7e]{0,1000}$/u.test(value)))
    return bad('a header has characters that headers do not have, or is too long.');
  url.hash = '';
  return success({ ...request, url, host });
}

export interface WebSteps {
  /** Called before each new host of this request. A failure ends the request. */
  readonly allow: (request: CheckedRequest) => Promise<Reply<CheckedRequest>>;
  readonly send: (request: CheckedRequest) => Promise<Reply<WebAnswer>>;
}

/**
 * Makes a request and follows redirects: each address is checked again, and each new host is a new question. Only GET
 * and HEAD are redirected, and never a request to a service of the user, because its key would go along.
 */
export async function requestThroughRedirects(
  request: WebRequest,
  { allow, send }: WebSteps,
): Promise<Reply<WebAnswer>> {
  let wish = request;
  let from: CheckedRequest | null = null;
  for (let count = 0; count <= mostRedirects; count += 1) {
    const checked = checkRequest(wish);
    if (!checked.ok) return from === null ? checked : ledAway(from, checked.error.message);
    const isLedDown = from?.url.protocol === 'https:' && checked.value.url.protocol === 'http:';
    if (from !== null && isLedDown) return ledAway(from, 'to an address without encryption.');
    // Sends exactly the request that was allowed, because a question may come in between.
    const allowed: Reply<CheckedRequest> =
      from !== null && from.host === checked.value.host ? checked : await allow(checked.value);
    if (!allowed.ok) return allowed;
    const answer = await send(allowed.value);
    if (!answer.ok) return answer;
    const next = nextAddress(allowed.value, answer.value);
    if (next === null) return answer;
    from = allowed.value;
    wish = { ...wish, url: next };
  }
  return failure('refused', `Stopped after ${mostRedirects} redirects.`);
}

function ledAway({ host }: CheckedRequest, why: string): Reply<WebAnswer> {
  return failure('refused', `${host} leads elsewhere. ${why}`);
}

function nextAddress({ method, url, service }: CheckedRequest, { status, headers }: WebAnswer): string | null {
  const place = headers['location'];
  const isLed = [301, 302, 303, 307, 308].includes(status) && place !== undefined;
  if (!isLed || service !== undefined || (method !== 'GET' && method !== 'HEAD')) return null;
  try {
    return new URL(place, url).href;
  } catch {
    // The location is not an address, so the answer stands as it is.
    return null;
  }
}

/** The user named the address, which allows its host and no other. */
export function requestOnOneHost(exchange: WebExchange, signal: AbortSignal): RequestWeb {
  let first: string | null = null;
  return (wish) =>
    requestThroughRedirects(wish, {
      allow: async (request) => {
        first ??= request.host;
        if (first === request.host) return success(request);
        return failure('refused', `${first} leads to ${request.url.href}.`, 'To read that, name this address.');
      },
      send: (request) => exchange(request, { signal, onUse: () => undefined }),
    });
}
