import { chmod, unlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import { RPCHandler } from '@orpc/server/ws';
import { WebSocket, WebSocketServer } from 'ws';
import { AppError } from '@shared/errors.ts';
import type { contract } from '@shared/contract/contract.ts';
import type { CoreRouter } from './serve-channel.ts';
import { orNoted } from '../lib/log.ts';

/** Every command and stream of the core, wherever it runs. */
export type CoreClient = ContractRouterClient<typeof contract>;

export interface SocketServer {
  readonly clients: () => number;
  /** The bytes from and to the clients. While the number does not change, there are no requests and no answers. */
  readonly traffic: () => number;
  close(): Promise<void>;
}

/** Larger messages are refused: tasks are small, and results are streamed. */
const maximumMessageBytes = 16 * 1024 * 1024;

/** Serves the contract on a local socket that only this user can open. */
export async function serveSocket(router: CoreRouter, socketPath: string): Promise<SocketServer> {
  if (process.platform !== 'win32')
    await unlink(socketPath).catch(orNoted('The socket of an earlier process was not removed', undefined));
  const http = createServer((_request, response) => void response.writeHead(404).end());
  const sockets = new WebSocketServer({ server: http, maxPayload: maximumMessageBytes });
  const handler = new RPCHandler(router);
  const open = new Set<Socket>();
  http.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  sockets.on('connection', (socket) => void handler.upgrade(socket, { context: {} }));
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    // Its folder is private to this user, wherever it is.
    http.listen(socketPath, () => resolve());
  });
  if (process.platform !== 'win32') await chmod(socketPath, 0o600);
  return {
    clients: () => sockets.clients.size,
    traffic: () => [...open].reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, 0),
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        sockets.close();
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

export interface SocketConnection {
  readonly client: CoreClient;
  /** Resolves when the owner has gone. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A client of the core that owns the home. Rejects with `home-busy` if nobody answers within `timeoutMs`. */
export async function connectSocket(socketPath: string, timeoutMs: number): Promise<SocketConnection> {
  const address = process.platform === 'win32' ? `ws+unix:${socketPath}` : `ws+unix://${socketPath}`;
  const socket = new WebSocket(address, { handshakeTimeout: timeoutMs, perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', (error) =>
      reject(new AppError('home-busy', 'The Dewpoint that owns this folder does not answer.', { cause: error })),
    );
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.terminate());
  // Node's own WebSocket has the same members; `ws` types them with its own event classes. The only cast at this edge.
  const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket });
  return { client: createORPCClient(link), closed, close: () => socket.close() };
}
