import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { abortWithManyListeners } from '../../lib/async/abort.ts';
import { connectThrough } from './connect-through.ts';
import { forwardRequest } from './forward-request.ts';
import { keptReason } from '../../lib/net/send-reason.ts';
import { longestHead } from './http-head.ts';
import { answerClient, type ProxyOptions, type ProxyContext } from './proxy-context.ts';
import { createTraffic } from './network-traffic.ts';

export interface AllowListProxy {
  /** Serves a client, whose input is untrusted. */
  readonly handle: (client: Duplex) => void;
  /** Ends everything. All decisions about open connections have been reported when it returns. */
  readonly close: () => void;
}

/** The most requests that a client may send before the first is answered. Package managers send ten. */
const mostWaiting = 16;

/**
 * An HTTP proxy for the programs of one command. `CONNECT` leads to port 443, and only TLS passes, with exactly the
 * name that was asked for. Plain requests lead to port 80. Each is parsed completely and rewritten, on a
 * connection of its own. Nothing is sent to a host before its name, its address and, for TLS, the name in the
 * client's first message are checked.
 */
export function createAllowListProxy(options: ProxyOptions): AllowListProxy {
  const closing = abortWithManyListeners();
  const traffic = createTraffic(options.limits, options.onDecision);
  const work: ProxyContext = { ...options, traffic, signal: closing.signal, onBehalf: keptReason() };
  const inTurn = createInTurn();
  // Set explicitly, because a switch of the process could relax both.
  const server = createServer({ maxHeaderSize: longestHead, insecureHTTPParser: false });
  // With a limit, Node would silently drop headers beyond it, including those about the body's length.
  server.maxHeadersCount = 0;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const serve = async (): Promise<void> => {
      await forwardRequest(work, request, response);
      // Only after this is it known whether the client may send more.
      await finished(response).catch(() => undefined);
    };
    if (inTurn.add(request.socket, serve)) return;
    traffic.refuse('', null, 'too-many-connections');
    request.socket.destroy();
  });
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => undefined);
    // Earlier answers would be written into the tunnel.
    if (inTurn.isBusy(client) || client.writableEnded) {
      traffic.refuse('', null, 'bad-request');
      client.destroy();
      return;
    }
    void connectThrough(work, request.url ?? '', { client, head });
  });
  server.on('clientError', (error, client) => {
    // This event repeats for each piece that a refused client still sends.
    if (client.writableEnded || client.destroyed) return;
    // Other errors are about the connection's end, and not about a request.
    if ('code' in error && String(error.code).startsWith('HPE_')) traffic.refuse('', null, 'bad-request');
    answerClient(client, 400, 'Not understood');
  });
  return {
    handle: (client) => void server.emit('connection', client),
    close: () => {
      traffic.close();
      closing.abort(new Error('The command has ended.'));
    },
  };
}

interface InTurn {
  /** Runs the work when all earlier work for this client is done. Returns false if too much is waiting. */
  readonly add: (client: Duplex, work: () => Promise<void>) => boolean;
  readonly isBusy: (client: Duplex) => boolean;
}

/** Handles one request of a client at a time. A request that it sends ahead opens nothing before its turn. */
function createInTurn(): InTurn {
  const clients = new WeakMap<Duplex, { waiting: number; last: Promise<void> }>();
  return {
    isBusy: (client) => (clients.get(client)?.waiting ?? 0) > 0,
    add(client, work) {
      const turn = clients.get(client) ?? { waiting: 0, last: Promise.resolve() };
      if (turn.waiting >= mostWaiting) return false;
      clients.set(client, turn);
      turn.waiting += 1;
      turn.last = turn.last.then(work).finally(() => (turn.waiting -= 1));
      return true;
    },
  };
}
