import { request as requestHttp, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { failure, messageOf, success, type Reply } from '@shared/errors.ts';
import type { SentRequest, WebAnswer, WebExchange } from '../../tools/web/web-request.ts';
import { withDeadline } from '../docker/engine/engine-deadline.ts';
import { dial, type OutboundConnections } from './outbound-connections.ts';
import { refusalText } from './proxy-context.ts';
import { openThroughProxy, proxyCredentials } from './upstream-proxy.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import { offeredPackings, packingProblem } from '../../lib/net/safe-packing.ts';

export interface WebLimits {
  /** From the first lookup to the last byte. */
  readonly timeoutMs: number;
  /** The most bytes of a body, both packed and unpacked. The rest is left out. */
  readonly mostBytes: number;
}

const usual: WebLimits = { timeoutMs: 30_000, mostBytes: 8 * 1024 * 1024 };
const longestHead = 32 * 1024;

/**
 * Makes requests from the app, outside of the sandbox. The name is looked up once, and the connection goes to a
 * checked address (`dial`). It sends no cookies, and no credentials except a service's own. Nothing is kept between
 * requests.
 */
export function createWebClient(outward: OutboundConnections, limits: Partial<WebLimits> = {}): WebExchange {
  const { timeoutMs, mostBytes } = { ...usual, ...limits };
  return async (request, { signal, onUse, onReceived }) => {
    const { url, host } = request;
    const port = portOf(url);
    let reached: { readonly socket: Socket; readonly address: string | null } | null = null;
    let reason = 'unreachable';
    try {
      return await withDeadline(timeoutMs, signal, async (timed) => {
        const opened = await open(outward, request, timed);
        if (!opened.ok) {
          reason = opened.reason;
          return failure('network', `${host} was not reached: ${refusalText(opened.reason)}.`);
        }
        reached = opened;
        reason = 'listed';
        try {
          return await exchange(request, opened, { mostBytes, onReceived });
        } finally {
          opened.stream.destroy();
          opened.socket.destroy();
        }
      });
    } catch (error) {
      if (signal.aborted) throw error;
      const isLate = errorCodeOf(error) === 'timeout';
      return failure(isLate ? 'timeout' : 'network', `${host}: ${messageOf(error)}`);
    } finally {
      const { socket, address } = asReached(reached);
      const sentBytes = socket?.bytesWritten ?? 0;
      const receivedBytes = socket?.bytesRead ?? 0;
      onUse({ host, port, isAllowed: socket !== null, reason, address, sentBytes, receivedBytes });
    }
  };
}

/** Restores the type of a variable that a callback has set. */
function asReached(reached: { readonly socket: Socket; readonly address: string | null } | null): {
  readonly socket: Socket | null;
  readonly address: string | null;
} {
  return reached ?? { socket: null, address: null };
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

type Opened =
  | {
      readonly ok: true;
      /** The network's socket. `stream` is the same, or TLS on top of it. */
      readonly socket: Socket;
      readonly stream: Socket;
      readonly address: string | null;
      /** A proxy that needs the full address in the request. */
      readonly proxy: URL | null;
    }
  | { readonly ok: false; readonly reason: Parameters<typeof refusalText>[0] };

async function open(outward: OutboundConnections, { url, service }: SentRequest, signal: AbortSignal): Promise<Opened> {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  const target = { host, port: portOf(url), isSecure, isInner: service?.isInner === true };
  const dialled = await dial(outward, target, signal);
  if (!dialled.ok) return dialled;
  const { socket, proxy, address } = dialled;
  // The signal belongs to this request only, and ends everything on the socket.
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  if (!isSecure) return { ok: true, socket, stream: socket, address, proxy };
  if (proxy !== null && !(await openThroughProxy(socket, proxy, target))) {
    socket.destroy();
    return { ok: false, reason: 'unreachable' };
  }
  const own = await outward.certificates();
  const stream = connectTls({
    socket,
    servername: host,
    ALPNProtocols: ['http/1.1'],
    ...(own === '' ? {} : { ca: [...rootCertificates, own] }),
  });
  try {
    await new Promise<void>((resolve, reject) => {
      stream.once('secureConnect', resolve).once('error', reject);
      stream.once('close', () => reject(new Error('The connection was closed.')));
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    stream.on('error', () => undefined);
  }
  return { ok: true, socket, stream, address, proxy: null };
}

/** Reads the answer, even if the host sends it before the request is complete. */
async function exchange(
  request: SentRequest,
  { stream, proxy }: Extract<Opened, { ok: true }>,
  room: Room,
): Promise<Reply<WebAnswer>> {
  const response = await send(request, stream, proxy);
  const problem = packingProblem(response.headers['content-encoding']);
  const decoded = problem === null ? decoderOf(response) : null;
  if (decoded === null)
    return failure('network', `${request.host}: ${problem ?? 'its answer is packed more than once.'}`);
  const { bytes, isCut } = await readUpTo(response, decoded, room);
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  const answer = { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), bytes, isCut };
  return success({ url: request.url.href, ...answer });
}

function send(request: SentRequest, stream: Socket, proxy: URL | null): Promise<IncomingMessage> {
  const { url, method, body } = request;
  const credentials = proxy === null ? null : proxyCredentials(proxy);
  return new Promise((resolve, reject) => {
    const sent = requestHttp({
      createConnection: () => stream,
      method,
      path: proxy === null ? `${url.pathname}${url.search}` : url.href,
      setHost: false,
      maxHeaderSize: longestHead,
      insecureHTTPParser: false,
      headers: {
        host: url.host,
        'user-agent': 'Dewpoint',
        accept: '*/*',
        'accept-encoding': offeredPackings,
        connection: 'close',
        ...request.headers,
        ...request.service?.headers,
        ...(credentials === null ? {} : { 'proxy-authorization': credentials }),
        ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
    });
    sent.once('response', resolve).once('error', reject);
    sent.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('It asked for another protocol.'));
    });
    sent.end(body ?? undefined);
  });
}

/** The body, unpacked. Null: it is packed more than once. */
function decoderOf(response: IncomingMessage): Readable | null {
  const packed = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  switch (packed) {
    case 'identity':
    case '':
      return response;
    case 'gzip':
    case 'x-gzip':
      return response.pipe(createGunzip());
    case 'deflate':
      return response.pipe(createInflate());
    default:
      return null;
  }
}

interface Room {
  readonly mostBytes: number;
  readonly onReceived: ((bytes: number) => void) | undefined;
}

interface Body {
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

/**
 * Ends both streams at the limit, so that a body without end, or one that unpacks to very much, never needs more
 * memory.
 */
function readUpTo(response: IncomingMessage, decoded: Readable, { mostBytes, onReceived }: Room): Promise<Body> {
  const pieces: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const end = (isCut: boolean): void => {
      // Resolves first, because destroying the streams reports an error.
      resolve({ bytes: Buffer.concat(pieces), isCut });
      decoded.destroy();
      response.destroy();
    };
    decoded.on('data', (piece: Buffer) => {
      const room = mostBytes - size;
      pieces.push(piece.subarray(0, room));
      size += Math.min(piece.length, room);
      onReceived?.(size);
      if (piece.length > room) end(true);
    });
    decoded.once('end', () => end(false));
    const fail = (error: Error): void => reject(error);
    decoded.on('error', fail);
    response.on('error', fail).once('aborted', () => reject(new Error('It ended in the middle of its answer.')));
  });
}
