import { z } from 'zod';
import { failure, success, type Reply } from '@shared/errors.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import type { ReadDocument } from '../../sessions/attachments/read-document.ts';
import { parsedUrl } from '../../lib/net/parsed-url.ts';

export const webMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type WebMethod = (typeof webMethods)[number];

/** Every request says what it is for: the person who is asked reads it, marked as the model's words. */
export const whySchema = z.string().min(1).max(500).describe('what it is for; shown to the person');

/** A request to the web, as a tool wants it made. All of it but `service` may be a model's words. */
export interface WebRequest {
  readonly method: WebMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** What it is for, in the model's words. */
  readonly why: string;
  /** The request goes to a service that the user set up. */
  readonly service?: WebService;
}

/** `headers` hold its key: they stand in no log. `isInner`: by the user's own word it may be in their own network, at any port. */
export interface WebService {
  readonly headers: Readonly<Record<string, string>>;
  readonly isInner: boolean;
}

/** A request that may be made once its host was allowed. */
export interface CheckedRequest extends Omit<WebRequest, 'url'> {
  readonly url: URL;
  /** As rules and questions name it. */
  readonly host: string;
}

/** What a host answered. */
export interface WebAnswer {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** There was more than is taken. */
  readonly isCut: boolean;
}

/** What a tool reaches the web by: it asks for each new host, and rejects with the signal's reason on abort. */
export type RequestWeb = (request: WebRequest) => Promise<Reply<WebAnswer>>;

/** What became of the connection of one exchange. */
export interface WebUse {
  readonly host: string;
  readonly port: number;
  readonly isAllowed: boolean;
  readonly reason: string;
  readonly address: string | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** One request and its answer; no redirect is followed. Rejects with the signal's reason on abort alone. */
export type WebExchange = (
  request: CheckedRequest,
  how: { readonly signal: AbortSignal; readonly onUse: (use: WebUse) => void },
) => Promise<Reply<WebAnswer>>;

/** What `compose` hands to the tools for the web. */
export interface WebParts {
  readonly readDocument: ReadDocument;
  /** The search service that is set up; a failure says what is missing. */
  readonly searchService: () => Promise<Reply<SearchAccess>>;
}

/** A search service as the user set it up. */
export interface SearchAccess {
  readonly service: string;
  readonly address: string | null;
  readonly key: string | null;
}

const longestUrl = 4_000;
/** Whatever else a header may do is not a model's to decide: no cookies, no credentials, nothing of the connection. */
const freeHeaders: readonly string[] = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-none-match',
  'prefer',
];
const mostRedirects = 5;

/** Whether this can be asked for at all: a public name, at the usual port, without a name or password in the address. */
export function checkRequest(request: WebRequest): Reply<CheckedRequest> {
  const bad = (why: string): Reply<CheckedRequest> => failure('bad-input', `Not sent: ${why}`);
  const url = request.url.length > longestUrl ? null : parsedUrl(request.url);
  if (url === null) return bad(`the address is no address, or has more than ${longestUrl} characters.`);
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
  /** Before each host that is new in this request. A failure ends it. */
  readonly allow: (request: CheckedRequest) => Promise<Reply<CheckedRequest>>;
  readonly send: (request: CheckedRequest) => Promise<Reply<WebAnswer>>;
}

/**
 * Makes a request and follows where it is led: each address is checked anew, and a new host is a new question. What may
 * change something is led nowhere, nor is a request to a service of the user's, whose key would go along.
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
    // A question may stand in between: what is sent is what was looked at.
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
  return failure('refused', `Given up: it was led on more than ${mostRedirects} times.`);
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
    // It says nothing that could be followed: then its answer is what there is.
    return null;
  }
}
