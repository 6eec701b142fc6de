import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { busyAbort } from '../../lib/abort.ts';
import { connectThrough } from './connect-through.ts';
import { forwardRequest } from './forward-request.ts';
import { answer, type ProxyOptions, type ProxyWork } from './proxy-work.ts';
import { createTraffic } from './traffic.ts';

export interface AllowListProxy {
  /** Serves a client; what it says is a stranger's word. */
  readonly handle: (client: Duplex) => void;
  /** Ends everything; decisions about what was open have been told when it returns. */
  readonly close: () => void;
}

/**
 * An HTTP proxy for the programs of one command. `CONNECT` leads to port 443 and only TLS passes, with the very name
 * that was asked for; plain requests lead to port 80, are read whole and written anew, each on a connection of its own.
 * Nothing is sent to a host before its name, its address and, for TLS, the name in the client's first message are right.
 */
export function createAllowListProxy(options: ProxyOptions): AllowListProxy {
  const closing = busyAbort();
  const traffic = createTraffic(options.limits, options.onDecision);
  const work: ProxyWork = { ...options, traffic, signal: closing.signal };
  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    void forwardRequest(work, request, response);
  });
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => undefined);
    void connectThrough(work, request.url ?? '', { client, head });
  });
  server.on('clientError', (error, client) => {
    // Others are ends of a connection, which nobody asked for anything by.
    if ('code' in error && String(error.code).startsWith('HPE_')) traffic.refuse('', null, 'bad-request');
    answer(client, 400, 'Not understood');
  });
  return {
    handle: (client) => void server.emit('connection', client),
    close: () => {
      traffic.close();
      closing.abort(new Error('The command has ended.'));
    },
  };
}
