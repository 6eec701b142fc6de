import { createServer, type IncomingMessage, type RequestListener, type Server as HttpServer } from 'node:http';
import { createServer as createTcp, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer as createTls } from 'node:https';
import { readClientHello } from '../../src/main/sandbox/network/client-hello.ts';
import { selfSigned } from './self-signed.ts';

export interface Wire {
  /** Bytes that came out of the socket, and bytes that were written into it before the other side ended. */
  out: number;
  in: number;
  /** Whose it is: the path of a request, `/s/NAME/…`, or the name of the host, `NAME.marked.localhost`. Null: unknown. */
  mark: string | null;
  isClosed: boolean;
}

export interface CountedHost {
  readonly port: number;
  readonly wires: readonly Wire[];
  readonly server: HttpServer;
  /** Its own certificate, in PEM. */
  readonly certificate: string;
  readonly close: () => Promise<void>;
}

export interface CountedHostOptions {
  readonly isSecure?: boolean;
  /** Names of its certificate. */
  readonly names?: readonly string[];
  /** Reads nothing until this resolves. */
  readonly until?: Promise<unknown>;
}

/**
 * A host that counts at its sockets: each piece that TCP hands over, and each that goes into it. HTTP, and TLS if wanted,
 * work above the count, so handshakes are in it.
 */
export async function startCountedHost(
  answer: RequestListener,
  { isSecure = false, names = ['localhost'], until }: CountedHostOptions = {},
): Promise<CountedHost> {
  const wires: Wire[] = [];
  const certificate = selfSigned(names);
  const server: HttpServer = isSecure ? createTls(certificate) : createServer();
  const byStream = new WeakMap<object, Wire>();
  const note = ({ url = '', socket }: IncomingMessage): void => {
    const mark = /^\/s\/([^/]+)\//u.exec(url)?.[1];
    const wire = byStream.get(socket);
    if (mark !== undefined && wire !== undefined) wire.mark = mark;
  };
  server.on('secureConnection', (socket: object) => {
    const wire = wireOfTls(socket);
    if (wire !== undefined) byStream.set(socket, wire);
  });
  server.on('upgrade', note);
  server.on('request', (request, response) => {
    note(request);
    answer(request, response);
  });
  /** TLS wraps the stream into one of its own. */
  const wireOfTls = (socket: object): Wire | undefined => {
    const wrap: unknown = Reflect.get(Object(Reflect.get(socket, '_handle')), '_parentWrap');
    return byStream.get(Object(Reflect.get(Object(wrap), 'stream')));
  };
  const live = new Set<Socket>();
  const tcp = createTcp({ pauseOnConnect: until !== undefined }, (socket) => {
    const wire: Wire = { out: 0, in: 0, mark: null, isClosed: false };
    wires.push(wire);
    let isEnded = false;
    live.add(socket);
    const above = new Duplex({
      allowHalfOpen: true,
      read: () => undefined,
      write: (piece: Buffer, _encoding, done) => {
        // After the other side has ended, nobody takes it: such as the last words of TLS.
        if (!isEnded) wire.in += piece.length;
        socket.write(piece, done);
      },
      final: (done) => void socket.end(done),
      destroy: (error, done) => {
        // It reads on until the other side has ended, too: the last words count.
        socket.end();
        done(error);
      },
    });
    byStream.set(above, wire);
    // Some connections end after the handshake, before any request.
    if (isSecure) socket.once('data', (first) => (wire.mark ??= markIn(first)));
    socket.on('data', (piece) => {
      wire.out += piece.length;
      if (!above.destroyed) above.push(piece);
    });
    socket.on('end', () => {
      isEnded = true;
      if (!above.destroyed) above.push(null);
    });
    socket.on('error', () => undefined);
    above.on('error', () => undefined);
    socket.on('close', () => {
      wire.isClosed = true;
      live.delete(socket);
      above.destroy();
    });
    server.emit('connection', above);
    if (until !== undefined) void until.then(() => socket.resume());
  });
  server.on('tlsClientError', () => undefined);
  server.on('clientError', () => undefined);
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  return {
    port,
    wires,
    server,
    certificate: certificate.cert,
    close: async () => {
      for (const socket of live) socket.destroy();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

function markIn(hello: Buffer): string | null {
  const found = readClientHello(hello);
  const name = found.type === 'hello' ? (found.name ?? '') : '';
  return /^([^.]+)\.marked\.localhost$/u.exec(name)?.[1] ?? null;
}
