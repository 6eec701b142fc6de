import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { WebSocketServer } from 'ws';
import type { OutboundConnections } from '../../../src/main/sandbox/network/outbound-connections.ts';
import { startCountedHost, type CountedHost } from '../../../tests/fakes/counted-host.ts';

/** Hosts on this machine that count at their sockets, plain and encrypted, and one that reads only when it may. */
export interface Hosts {
  readonly plain: CountedHost;
  readonly secure: CountedHost;
  readonly stuck: CountedHost;
  /** Lets the stuck host read. */
  readonly letRead: () => void;
  /** The way of the web tools and of commands to them. */
  readonly outward: OutboundConnections;
  readonly close: () => Promise<void>;
}

export const webHost = 'docs.example.org';
const publicAddress = '203.0.113.7';

export async function startHosts(): Promise<Hosts> {
  const { promise, resolve: letRead } = Promise.withResolvers<void>();
  const plain = await startCountedHost(answer);
  const secure = await startCountedHost(answer, { isSecure: true, names: ['*.marked.localhost', webHost] });
  const stuck = await startCountedHost(answer, { until: promise });
  const sockets = new WebSocketServer({ noServer: true });
  plain.server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (open) => {
      open.on('message', (data: Buffer) => open.send(`got ${data.length}`));
    }),
  );
  return {
    plain,
    secure,
    stuck,
    letRead,
    outward: {
      certificates: () => Promise.resolve(secure.certificate),
      resolve: () => Promise.resolve([publicAddress]),
      connect: (_address, port) =>
        new Promise((resolve, reject) => {
          const socket = connect(port === 443 ? secure.port : plain.port, '127.0.0.1', () => resolve(socket));
          socket.once('error', reject);
        }),
      proxyFor: () => null,
      connectProxy: () => Promise.reject(new Error('There is no proxy.')),
    },
    close: async () => {
      sockets.close();
      await Promise.all([plain.close(), secure.close(), stuck.close()]);
    },
  };
}

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: 'notes', version: '1' });
  server.registerTool('note', { description: 'Keeps a note.' }, async () => ({
    content: [{ type: 'text', text: 'kept' }],
  }));
  return server;
});

const tries = new Map<string, number>();

/** `/s/SESSION/WAY/…`: each way gets the answer that it needs. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  void answered(request, response).catch(() => response.destroy());
}

async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '/', method = 'GET', headers } = request;
  const [, , , way = '', size = ''] = url.split('/');
  const body = await buffer(request);
  const count = (tries.get(url) ?? 0) + 1;
  tries.set(url, count);
  switch (way) {
    case 'mcp':
      return answerMcp({ method, url, headers, body }, response);
    case 'busy':
      // The first try is refused.
      response.writeHead(count === 1 ? 503 : 200).end('x'.repeat(100));
      return;
    case 'moved':
      response.writeHead(302, { location: url.replace('/moved/', '/sized/') }).end();
      return;
    case 'broken': {
      const whole = Buffer.alloc(Number(size), 7);
      const from = Number(/bytes=(\d+)-/u.exec(headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from === 0 ? 200 : 206, {
        'content-length': whole.length - from,
        ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` }),
      });
      // The first connection ends in the middle of the file.
      if (count === 1) response.write(whole.subarray(0, whole.length / 2), () => response.destroy());
      else response.end(whole.subarray(from));
      return;
    }
    case 'endless':
      response.writeHead(200);
      for (let piece = 0; piece < 2_000 && !response.destroyed; piece += 1) {
        if (!response.write(Buffer.alloc(16_384))) await drained(response);
      }
      response.end();
      return;
    default:
      response.end('x'.repeat(Number(size) || 10));
  }
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function answerMcp({ method, url, headers, body }: Asked, response: ServerResponse): Promise<void> {
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
  const content = method === 'GET' || method === 'DELETE' ? {} : { body: new Uint8Array(body) };
  const made = await mcp.fetch(new Request(`http://localhost${url}`, { method, headers: plain, ...content }));
  response.writeHead(made.status, Object.fromEntries(made.headers));
  if (made.body !== null) for await (const chunk of made.body) response.write(chunk);
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
