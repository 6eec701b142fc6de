import type { WebSocket } from 'ws';
import { isLoopbackHost } from './loopback-host.ts';
import type { Connection, Env } from './net-fetch.ts';
import { PermanentError, proxyFor, trustedWith } from './net-fetch.ts';

export interface SocketWish {
  readonly headers: Readonly<Record<string, string>>;
  /** Sub-protocols, the preferred one first. */
  readonly protocols: readonly string[];
  /** The largest size of one message, in bytes. */
  readonly mostBytes: number;
}

export type OpenSocket = (url: URL, wish: SocketWish) => Promise<WebSocket>;

/**
 * Starts opening a WebSocket with the certificates of the settings; the caller waits for its `open`. Rejects if a proxy
 * is set for the address: proxies are not supported here, and ignoring one would break the user's setting. Follows no
 * redirects and uses no compression.
 */
export function createNetSocket(connection: () => Connection, env: Env): OpenSocket {
  return async (url, { headers, protocols, mostBytes }) => {
    const now = connection();
    if (!isLoopbackHost(url.hostname) && proxyFor(url, now, env) !== null)
      throw new PermanentError(
        'A proxy stands before this address, and a WebSocket does not go through it. Use the https address of the server.',
      );
    const ca = now.certificates === null ? {} : { ca: await trustedWith(now.certificates) };
    const { WebSocket } = await import('ws');
    return new WebSocket(url, [...protocols], {
      headers: { ...headers },
      maxPayload: mostBytes,
      followRedirects: false,
      perMessageDeflate: false,
      ...ca,
    });
  };
}
