import { isProxyExcepted } from '../../lib/net/no-proxy.ts';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Connection } from '../../lib/net/net-fetch.ts';
import { withDeadline } from '../docker/engine/engine-deadline.ts';
import { isPublicAddress } from './address-rules.ts';
import type { NetworkReason } from './network-decision.ts';

/** The way from the app to the network. */
export interface OutboundConnections {
  /** Every address of a name. Rejects where there is none. */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** To an address, never to a name. Rejects where nobody answers. */
  readonly connect: (address: string, port: number, signal: AbortSignal) => Promise<Socket>;
  /** The proxy through which this machine reaches a host; null where it goes by itself. Throws where it cannot be read. */
  readonly proxyFor: (host: string, isSecure: boolean) => URL | null;
  /** To a proxy of this machine, by its own name. */
  readonly connectProxy: (proxy: URL, signal: AbortSignal) => Promise<Socket>;
  /** Certificates (PEM) that this machine trusts beside the usual ones, as networks that open TLS need; empty: none. */
  readonly certificates: () => Promise<string>;
}

export type Dialled =
  | { readonly ok: true; readonly socket: Socket; readonly address: string | null; readonly proxy: URL | null }
  | { readonly ok: false; readonly reason: NetworkReason };

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Absent: as the port says. */
  readonly isSecure?: boolean;
  /** It may be in the network of this machine: the user named it, in the settings. */
  readonly isInner?: boolean;
}

const dialMs = 15_000;
const mostAddresses = 4;

type Env = Readonly<Record<string, string | undefined>>;

/** As the settings and the usual environment variables of this machine say. */
export function createOutboundConnections(connection: () => Connection, env: Env): OutboundConnections {
  return {
    resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
    connect: (address, port, signal) => opened(connectTcp({ host: address, port }), 'connect', signal),
    proxyFor: (host, isSecure) => proxyOf(connection(), env, { host, isSecure }),
    connectProxy: (proxy, signal) => {
      const port = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80));
      const host = proxy.hostname.replace(/^\[|\]$/g, '');
      return proxy.protocol === 'https:'
        ? opened(connectTls({ host, port, servername: host }), 'secureConnect', signal)
        : opened(connectTcp({ host, port }), 'connect', signal);
    },
    certificates: async () => {
      const path = connection().certificates ?? env['NODE_EXTRA_CA_CERTS'] ?? env['SSL_CERT_FILE'];
      // Without the file the certificates of the system hold.
      const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
      return text.includes('-----BEGIN CERTIFICATE-----') ? text : '';
    },
  };
}

/**
 * Opens a connection to a host that was let through. Its name is looked up once; every address must be a public one
 * (a name with an inner address beside a public one is a trap), and the connection goes to an address that was looked
 * at, so that a second answer of the name changes nothing. Where this machine reaches the host through a proxy, that
 * one looks the name up; it is refused all the same when it is an inner name here.
 */
export async function dial(
  outward: OutboundConnections,
  { host, port, isSecure = port === 443, isInner = false }: DialTarget,
  signal: AbortSignal,
): Promise<Dialled> {
  const usual = proxyOrNone(outward, host, isSecure);
  if (usual === 'unusable') return { ok: false, reason: 'unreachable' };
  // A name that only the proxy knows has no address here.
  const addresses = await withDeadline(dialMs, signal, (timed) => outward.resolve(host, timed)).catch(() => []);
  if (!isInner && addresses.some((address) => !isPublicAddress(address))) return { ok: false, reason: 'inner-address' };
  // What is near is never looked for behind a proxy.
  const isNear = isInner && addresses.some((address) => !isPublicAddress(address));
  const proxy = isNear ? null : usual;
  if (proxy !== null) {
    // Why a proxy does not answer is not told to a command.
    const socket = await withDeadline(dialMs, signal, (timed) => outward.connectProxy(proxy, timed)).catch(() => null);
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

/** A proxy that is set and cannot be used is not passed by: the person wants it in between. */
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
      // From here on whoever took it hears of its end; an error without a listener would end the program.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

function proxyOf(
  { proxy }: Connection,
  env: Env,
  { host, isSecure }: { readonly host: string; readonly isSecure: boolean },
): URL | null {
  const ofEnv = (name: string): string => env[name] ?? env[name.toUpperCase()] ?? '';
  if (proxy === null && isProxyExcepted(ofEnv('no_proxy'), host, isSecure ? 443 : 80)) return null;
  const http = ofEnv('http_proxy') || ofEnv('all_proxy');
  const text = proxy ?? ((isSecure ? ofEnv('https_proxy') : '') || http);
  return text === '' ? null : new URL(text.includes('://') ? text : `http://${text}`);
}
