import { AppError, valueOf } from '@shared/errors.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import { isLoopbackHost } from '../../lib/net/this-machine.ts';
import type { CheckedRequest, WebExchange } from '../web/web-request.ts';

/** Where a tool server is. Addresses for its sign-in must not be nearer to this machine than the server itself. */
export interface ServerPlace {
  /** On this machine or in its network, by the address that the user approved. */
  readonly isInner: boolean;
  /** On this machine, where no encryption is needed. */
  readonly isHere: boolean;
  /**
   * The server's own name, or the domain that it shares with its neighbors, if it leads into the network of this
   * machine. Only such names may lead there: whoever runs the server decides where its name leads, and that opens no way
   * to other places. Absent: it leads elsewhere.
   */
  readonly innerDomain?: string;
}

export async function placeOf(
  serverUrl: string,
  hasInnerAddress: (host: string) => Promise<boolean>,
): Promise<ServerPlace> {
  const { hostname } = new URL(serverUrl);
  const isHere = isLoopbackHost(hostname);
  const isInner = isHere || canonicalHost(hostname) === null;
  return {
    isHere,
    isInner,
    ...(!isInner && (await hasInnerAddress(hostname)) ? { innerDomain: domainOf(hostname) } : {}),
  };
}

/** Of a name with four parts or more, what follows the first. A shorter one may be shared with strangers, as in co.uk. */
function domainOf(hostname: string): string {
  const parts = hostname.split('.');
  return parts.length < 4 ? hostname : parts.slice(1).join('.');
}

function isBelow(hostname: string, domain: string | undefined): boolean {
  return domain !== undefined && (hostname === domain || hostname.endsWith(`.${domain}`));
}

/**
 * A `fetch` for addresses that a tool server names, which are untrusted. Only encrypted addresses are used. None may
 * lead into the network of this machine unless the server itself is there. No redirect is followed. Rejects with an
 * `AppError` if nobody answers or the answer is too large, and with the signal's reason on abort.
 */
export function createAuthFetch(
  { exchange, place }: { readonly exchange: WebExchange; readonly place: ServerPlace },
  signal: AbortSignal,
): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    mustBeUsable(url, place);
    const request: CheckedRequest = {
      url,
      host: url.host,
      method: init?.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: bodyText(init?.body),
      why: 'to sign in to a tool server',
      ...(place.isInner || isBelow(url.hostname, place.innerDomain) ? { service: { headers: {}, isInner: true } } : {}),
    };
    const { status, headers, bytes, isCut } = valueOf(await exchange(request, { signal, onUse: () => undefined }));
    if (isCut) throw new AppError('too-large', `${url.host} sent more than a sign-in needs. Its answer was not read.`);
    if (status < 200 || status > 599) throw new AppError('network', `${url.host} answered with HTTP ${status}.`);
    const isEmpty = status === 204 || status === 205 || status === 304;
    return new Response(isEmpty ? null : Uint8Array.from(bytes), { status, headers });
  };
}

/** Sign-in sends only forms and JSON. */
function bodyText(body: RequestInit['body']): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('Only a form or a text is sent.');
}

/** Throws for an address that must be neither requested nor opened in a browser. */
export function mustBeUsable(url: URL, { isInner, isHere }: ServerPlace): void {
  const isPlain = url.protocol === 'http:' && isHere && isLoopbackHost(url.hostname);
  const isNear = canonicalHost(url.hostname) === null;
  const why =
    url.protocol !== 'https:' && !isPlain
      ? 'it is not encrypted (https)'
      : url.username !== '' || url.password !== ''
        ? 'a name or password stands in it'
        : isNear && !isInner
          ? 'it leads into your own network'
          : null;
  if (why === null) return;
  throw new AppError('refused', `The server names ${url.origin} for signing in, which is not used: ${why}.`, {
    hint: 'Nothing was sent there. Ask whoever runs the server.',
  });
}
