import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { abortWithManyListeners } from '../../lib/async/abort.ts';
import { connectThrough } from './connect-through.ts';
import { forwardRequest } from './forward-request.ts';
import { longestHead } from './http-head.ts';
import { answerClient, type ProxyOptions, type ProxyContext } from './proxy-context.ts';
import { createTraffic } from './network-traffic.ts';

export interface AllowListProxy {
  /** Serves a client; what it says is a stranger's word. */
  readonly handle: (client: Duplex) => void;
  /** Ends everything; decisions about what was open have been told when it returns. */
  readonly close: () => void;
}

/** Requests that one client may have sent before the first of them was answered; package managers send ten. */
const mostWaiting = 16;

/**
 * An HTTP proxy for the programs of one command. `CONNECT` leads to port 443 and only TLS passes, with the very name
 * that was asked for; plain requests lead to port 80, are read whole and written anew, each on a connection of its own.
 * Nothing is sent to a host before its name, its address and, for TLS, the name in the client's first message are right.
 */
export function createAllowListProxy(options: ProxyOptions): AllowListProxy {
  const closing = abortWithManyListeners();
  const traffic = createTraffic(options.limits, options.onDecision);
  const work: ProxyContext = { ...options, traffic, signal: closing.signal };
  const inTurn = createInTurn();
  // Said outright: a switch of the process would make both laxer.
  const server = createServer({ maxHeaderSize: longestHead, insecureHTTPParser: false });
  // A limit would drop the headers above it without a word, those of the framing among them.
  server.maxHeadersCount = 0;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const serve = async (): Promise<void> => {
      await forwardRequest(work, request, response);
      // Only then is it known whether the client may say more.
      await finished(response).catch(() => undefined);
    };
    if (inTurn.add(request.socket, serve)) return;
    traffic.refuse('', null, 'too-many-connections');
    request.socket.destroy();
  });
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => undefined);
    // The answers before it would be written into it.
    if (inTurn.isBusy(client) || client.writableEnded) {
      traffic.refuse('', null, 'bad-request');
      client.destroy();
      return;
    }
    void connectThrough(work, request.url ?? '', { client, head });
  });
  server.on('clientError', (error, client) => {
    // It comes again with each piece that a refused client goes on to send.
    if (client.writableEnded || client.destroyed) return;
    // Others are ends of a connection, which nobody asked for anything by.
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
  /** Works when all that was added for this client before is over. False: too much waits already. */
  readonly add: (client: Duplex, work: () => Promise<void>) => boolean;
  readonly isBusy: (client: Duplex) => boolean;
}

/** One request of a client at a time: what it sends ahead opens nothing before its turn. */
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
