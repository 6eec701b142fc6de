import type { WebSocket } from 'ws';
import { isLoopbackHost } from './loopback-host.ts';
import type { Connection, Env } from './net-fetch.ts';
import { PermanentError, proxyFor, trustedWith } from './net-fetch.ts';

export interface SocketWish {
  readonly headers: Readonly<Record<string, string>>;
  /** Sub-protocols, the wanted one first. */
  readonly protocols: readonly string[];
  /** Of one message, in bytes. */
  readonly mostBytes: number;
}

export type OpenSocket = (url: URL, wish: SocketWish) => Promise<WebSocket>;

/**
 * Begins to open a WebSocket with the certificates of the settings; who gets it waits for its `open`. Rejects where a
 * proxy stands before the address, for none is spoken through here, and without it the person's own word would not hold.
 * Redirects are not followed, and nothing is unpacked.
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
