import { channel } from 'node:diagnostics_channel';
import type { WebSocket } from 'ws';
import type { Connection } from './net-fetch.ts';
import { trustedWith } from './net-fetch.ts';
import { lookupOnThisMachine, type Lookup } from './own-lookup.ts';
import { sendsNow } from './counted-sockets.ts';
import { PermanentError } from './permanent-error.ts';
import { proxyFor, type Env } from './proxy-choice.ts';

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
export function createNetSocket(
  connection: () => Connection,
  env: Env,
  lookup: Lookup = lookupOnThisMachine,
): OpenSocket {
  return async (url, { headers, protocols, mostBytes }) => {
    const now = connection();
    const proxy = proxyFor(url, now.proxy, env);
    if (proxy !== null)
      throw new PermanentError(
        `The proxy ${proxy.label} stands before this address, and a WebSocket does not go through it. Use the https address of the server.`,
      );
    const ca = now.certificates === null ? {} : { ca: await trustedWith(now.certificates) };
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(url, [...protocols], {
      headers: { ...headers },
      maxPayload: mostBytes,
      followRedirects: false,
      perMessageDeflate: false,
      lookup,
      ...ca,
    });
    socket.once('upgrade', ({ socket: connection }) => countEachMessage(socket, connection));
    return socket;
  };
}

/** Whoever sends a message pays for its bytes, not whoever opened the connection. */
function countEachMessage(socket: WebSocket, connection: object): void {
  const send = socket.send.bind(socket);
  Reflect.set(socket, 'send', (...words: readonly unknown[]): void => {
    channel(sendsNow).publish({ socket: connection });
    Reflect.apply(send, socket, words);
  });
}
