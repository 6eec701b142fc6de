import type { IncomingMessage, Server } from 'node:http';
import { AppError } from '@shared/errors.ts';
import { isLoopbackHost } from '../lib/net/this-machine.ts';

/** The only address on which anything here listens. */
export const loopback = '127.0.0.1';

/**
 * Whether the host is this machine without asking a resolver. Any other name that leads here is an attack (DNS
 * rebinding).
 */
export function isOwnHost(request: IncomingMessage): boolean {
  const [, host, port] = /^(\[[^\]]*\]|[^:/@]+):(\d+)$/u.exec(request.headers.host ?? '') ?? [];
  return host !== undefined && Number(port) === request.socket.localPort && isLoopbackHost(host);
}

/** Whether the request comes from this site. A page of another site sends its origin; programs send none. */
export function isOwnOrigin(request: IncomingMessage): boolean {
  const { host, origin } = request.headers;
  return origin === undefined || origin === `http://${host ?? ''}`;
}

/** Resolves with the port. Rejects with `conflict` if it is taken. */
export function listenHere(http: Server, port: number): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    http.once('error', (error) => {
      const hint = 'Choose another port with --port, or leave it out.';
      reject(new AppError('conflict', `Port ${port} cannot be used: ${error.message}.`, { hint, cause: error }));
    });
    http.listen(port, loopback, () => {
      const bound = http.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}
