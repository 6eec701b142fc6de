import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import type { OutboundConnections } from '../../src/main/sandbox/network/outbound-connections.ts';
import { selfSigned } from './self-signed.ts';

/** Servers on this machine that play the hosts of the internet, and the only connection to them. */
export interface StandInInternet {
  readonly outward: OutboundConnections;
  /** The `ADDRESS:PORT` of every opened connection, in order. */
  readonly opened: readonly string[];
  /** The names that were looked up, in order. */
  readonly lookedUp: readonly string[];
  /** The bytes that arrived at all servers. */
  readonly arrivedBytes: () => number;
  close(): Promise<void>;
}

export interface StandInOptions {
  /**
   * The addresses of each name, one answer after the other. The last one repeats. The servers accept all of
   * 203.0.113.0/24.
   */
  readonly names: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly answer?: RequestListener;
  readonly proxyFor?: OutboundConnections['proxyFor'];
}

export async function standInInternet({ names, answer, proxyFor }: StandInOptions): Promise<StandInInternet> {
  const { key, cert } = selfSigned(Object.keys(names));
  const opened: string[] = [];
  const lookedUp: string[] = [];
  let arrived = 0;
  const listener: RequestListener =
    answer ?? ((request, response) => response.end(`${request.method} ${request.url}\n`));
  const plain = createHttp(listener);
  const secure = createHttps({ key, cert }, listener);
  const servers: readonly Server[] = [plain, secure];
  for (const server of servers) {
    server.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.once('close', () => (arrived += socket.bytesRead));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const portOf = (server: Server): number => portIn(server.address());
  const asked = new Map<string, number>();
  return {
    opened,
    lookedUp,
    arrivedBytes: () => arrived,
    outward: {
      certificates: () => Promise.resolve(cert),
      resolve: (host) => {
        lookedUp.push(host);
        const answers = names[host] ?? [];
        const count = asked.get(host) ?? 0;
        asked.set(host, count + 1);
        const found = answers[Math.min(count, answers.length - 1)];
        return found === undefined ? Promise.reject(new Error('No such name.')) : Promise.resolve(found);
      },
      connect: (address, port) => {
        opened.push(`${address}:${port}`);
        if (!address.startsWith('203.0.113.')) return Promise.reject(new Error('Nobody is there.'));
        return new Promise((resolve, reject) => {
          const socket = connect(portOf(port === 443 ? secure : plain), '127.0.0.1', () => resolve(socket));
          socket.once('error', reject);
          socket.on('error', () => undefined);
        });
      },
      proxyFor: proxyFor ?? (() => null),
      connectProxy: (proxy) =>
        new Promise((resolve, reject) => {
          const socket = connect(Number(proxy.port), proxy.hostname, () => resolve(socket));
          socket.once('error', reject);
          socket.on('error', () => undefined);
        }),
    },
    close: async () => {
      for (const server of [plain, secure]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function portIn(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
