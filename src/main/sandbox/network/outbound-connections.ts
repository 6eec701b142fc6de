import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Connection } from '../../lib/net/net-fetch.ts';
import { withReason } from '../../lib/net/send-reason.ts';
import { proxyFor, type Env } from '../../lib/net/proxy-choice.ts';
import { withDeadline } from '../docker/engine/engine-deadline.ts';
import { isPublicAddress } from './address-rules.ts';
import type { NetworkReason } from './network-decision.ts';
import { orNoted } from '../../lib/log.ts';

/** The app's own access to the network. */
export interface OutboundConnections {
  /** All addresses of a name. Rejects if there are none. */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Connects to an address, never to a name. Rejects if nothing answers. */
  readonly connect: (address: string, port: number, signal: AbortSignal) => Promise<Socket>;
  /**
   * The proxy through which this machine reaches a host. Null: none. Throws if the proxy's address cannot be parsed.
   */
  readonly proxyFor: (host: string, isSecure: boolean) => URL | null;
  /** Connects to a proxy of this machine, by its name. */
  readonly connectProxy: (proxy: URL, signal: AbortSignal) => Promise<Socket>;
  /**
   * Certificates (PEM) that this machine trusts in addition to the usual ones, for networks that inspect TLS. Empty:
   * none.
   */
  readonly certificates: () => Promise<string>;
}

export type DialResult =
  | { readonly ok: true; readonly socket: Socket; readonly address: string | null; readonly proxy: URL | null }
  | { readonly ok: false; readonly reason: NetworkReason };

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Absent: decided by the port. */
  readonly isSecure?: boolean;
  /** It may be in the local network, because the user named it in the settings. */
  readonly isInner?: boolean;
}

const dialMs = 15_000;
const mostAddresses = 4;

/** Uses the settings and the usual environment variables of this machine. */
export function createOutboundConnections(connection: () => Connection, env: Env): OutboundConnections {
  return {
    resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
    connect: (address, port, signal) => opened(connectTcp({ host: address, port }), 'connect', signal),
    proxyFor: (host, isSecure) => {
      const url = new URL(`${isSecure ? 'https' : 'http'}://${isIP(host) === 6 ? `[${host}]` : host}/`);
      const proxy = proxyFor(url, connection().proxy, env);
      return proxy === null ? null : new URL(proxy.address);
    },
    connectProxy: (proxy, signal) => {
      const port = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80));
      const host = proxy.hostname.replace(/^\[|\]$/g, '');
      return proxy.protocol === 'https:'
        ? opened(connectTls({ host, port, servername: host }), 'secureConnect', signal)
        : opened(connectTcp({ host, port }), 'connect', signal);
    },
    certificates: async () => {
      const path = connection().certificates ?? env['NODE_EXTRA_CA_CERTS'] ?? env['SSL_CERT_FILE'];
      // Without the file, the usual certificates are used.
      const text =
        path === undefined
          ? ''
          : await readFile(path, 'utf8').catch(orNoted('network: a file of certificates was not read', ''));
      return text.includes('-----BEGIN CERTIFICATE-----') ? text : '';
    },
  };
}

/**
 * Opens a connection to an allowed host. Its name is looked up once, and every address must be public: a private
 * address beside a public one is a trap. The connection goes to a checked address, so that a second lookup changes
 * nothing. If this machine uses a proxy for the host, the proxy looks the name up. A name that has a private address
 * here is refused all the same.
 */
export function dial(outward: OutboundConnections, target: DialTarget, signal: AbortSignal): Promise<DialResult> {
  return withReason({ host: target.host }, () => dialNamed(outward, target, signal));
}

async function dialNamed(
  outward: OutboundConnections,
  { host, port, isSecure = port === 443, isInner = false }: DialTarget,
  signal: AbortSignal,
): Promise<DialResult> {
  const usual = proxyOrNone(outward, host, isSecure);
  if (usual === 'unusable') return { ok: false, reason: 'unreachable' };
  // A name that only the proxy knows has no address here.
  const addresses = await withDeadline(dialMs, signal, (timed) => outward.resolve(host, timed)).catch(() => []);
  if (!isInner && addresses.some((address) => !isPublicAddress(address))) return { ok: false, reason: 'inner-address' };
  // A host in the local network is never reached through a proxy.
  const isNear = isInner && addresses.some((address) => !isPublicAddress(address));
  const proxy = isNear ? null : usual;
  if (proxy !== null) {
    // The command does not learn why a proxy does not answer.
    const socket = await withDeadline(dialMs, signal, (timed) => outward.connectProxy(proxy, timed)).catch(
      orNoted('network: the proxy was not reached', null),
    );
    return socket === null ? { ok: false, reason: 'unreachable' } : { ok: true, socket, address: null, proxy };
  }
  if (addresses.length === 0) return { ok: false, reason: 'no-address' };
  for (const address of addresses.slice(0, mostAddresses)) {
    const socket = await withDeadline(dialMs, signal, (timed) => outward.connect(address, port, timed)).catch(
      () => null,
    );
    if (socket !== null) return { ok: true, socket, address, proxy: null };
  }
  return { ok: false, reason: 'unreachable' };
}

/** A configured proxy that cannot be used is not bypassed, because the user wants it in between. */
function proxyOrNone(outward: OutboundConnections, host: string, isSecure: boolean): URL | null | 'unusable' {
  try {
    const proxy = outward.proxyFor(host, isSecure);
    return proxy === null || proxy.protocol === 'http:' || proxy.protocol === 'https:' ? proxy : 'unusable';
  } catch {
    return 'unusable';
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy(new Error('Given up.'));
    const onFailure = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    socket.once('error', onFailure);
    socket.once(event, () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onFailure);
      // The receiver handles the end of the socket. Without a listener, an error would end the program.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
