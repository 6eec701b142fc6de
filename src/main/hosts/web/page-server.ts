import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { createChannelServer } from '../../server/serve-channel.ts';
import type { CoreRouter } from '../../server/serve-channel.ts';
import type { PageFiles } from '../page-files.ts';
import { lockedFrames } from '../locked-frames.ts';
import { isOwnHost, isOwnOrigin, listenHere, loopback } from '../loopback-requests.ts';
import { pageHeaders, findPageFiles } from '../page-files.ts';
import { admitSocket } from './socket-channel.ts';
import { createPendingSockets } from './pending-sockets.ts';

export interface PageServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly pageFolder: string;
}

export interface PageServer {
  /** Contains the token in its fragment, which browsers do not send to servers. */
  readonly url: string;
  /** Ends every connection, and aborts what is being streamed. */
  close(): Promise<void>;
}

/** Limit for a page that has shown the token. `pending-sockets.ts` has the limits before that. */
const maximumMessageBytes = 16 * 1024 * 1024;
const mostConnections = 1024;
/** For the head of a request: a page never sends more than that. */
const patience = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 5_000 };

/**
 * Serves the page and the contract on the loopback address. Without the token of `url`, a client gets only the page's
 * files. Rejects if the port is taken or the page was not built.
 */
export async function startPageServer(
  router: CoreRouter,
  { port, pageFolder }: PageServerOptions,
): Promise<PageServer> {
  const files = await findPageFiles(pageFolder);
  const token = randomBytes(32).toString('base64url');
  const channels = createChannelServer(router);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maximumMessageBytes, perMessageDeflate: false });
  const room = createPendingSockets();
  const http = createServer(patience, (request, response) => void answer(request, response, files));
  http.maxConnections = mostConnections;
  http.on('upgrade', (request, socket, head) => {
    if (!isOwnSocket(request)) {
      refuseUpgrade(socket);
      return;
    }
    const place = room.enter(socket);
    sockets.handleUpgrade(request, socket, head, (accepted) => admitSocket(accepted, { token, channels, place }));
  });
  const actualPort = await listenHere(http, port);
  return {
    url: `http://${loopback}:${actualPort}/#token=${token}`,
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.close(1001, 'closing');
        // Does not wait for a browser that ignores the close message.
        const timer = setTimeout(() => terminateAll(sockets), 500);
        sockets.close();
        http.close(() => {
          clearTimeout(timer);
          resolve();
        });
        http.closeIdleConnections();
      }),
  };
}

function terminateAll(sockets: WebSocketServer): void {
  for (const client of sockets.clients) client.terminate();
}

async function answer(request: IncomingMessage, response: ServerResponse, files: PageFiles): Promise<void> {
  const headers = pageHeaders(`'self' ws://${request.headers.host ?? ''}`);
  const end = (status: number, text: string): void =>
    void response.writeHead(status, { ...headers, 'content-type': 'text/plain' }).end(text);
  if (!isOwnHost(request) || !isOwnOrigin(request)) return end(403, 'refused');
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(405, 'not allowed');
  const [pathname = '/'] = (request.url ?? '/').split('?');
  const locked = lockedFrames.get(pathname);
  const file = files.get(pathname);
  const found = locked ?? file;
  const body = locked?.body ?? (await file?.read());
  if (found === undefined || !body) return end(404, 'not found');
  const own = locked?.headers ?? headers;
  response.writeHead(200, { ...own, 'content-type': found.contentType, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Browsers always send an origin with a socket. Other clients need not, and are refused without one. */
function isOwnSocket(request: IncomingMessage): boolean {
  return (
    isOwnHost(request) && request.headers.origin !== undefined && isOwnOrigin(request) && request.url === '/contract'
  );
}

function refuseUpgrade(socket: Duplex): void {
  // The client may be gone, and an error without a listener would end the process.
  socket.on('error', () => undefined);
  socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', () => socket.destroy());
}
