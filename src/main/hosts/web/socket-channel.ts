import { createHash, timingSafeEqual } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { Channel, ChannelServer } from '../../server/serve-channel.ts';
import type { PendingSocket } from './pending-sockets.ts';

/** The first message of a socket must be the token, and soon. */
const tokenTimeoutMs = 5_000;
/** Close code for a wrong token: the page then asks for the right address instead of trying again. */
const wrongTokenCode = 4401;
/** Close code where none came in time, as from a page that a busy machine held up: that one tries again. */
const noTokenCode = 4408;
/** Close code where too many pages are open. */
const tooManyCode = 1013;
/** Above this many bytes that the browser has not taken, streams wait. */
const fullBytes = 1024 * 1024;

export interface Admission {
  readonly token: string;
  readonly channels: ChannelServer;
  /** Where the socket waits meanwhile. */
  readonly place: PendingSocket;
}

/** Serves the contract on a socket whose first message is the token; any other socket is closed. */
export function admitSocket(socket: WebSocket, { token, channels, place }: Admission): void {
  const timer = setTimeout(() => socket.close(noTokenCode, 'no token came'), tokenTimeoutMs);
  // Without a listener an error (a message too large, a broken frame) would end the process; `close` follows it.
  socket.on('error', () => socket.terminate());
  socket.once('close', () => clearTimeout(timer));
  socket.once('message', (data) => {
    clearTimeout(timer);
    if (!isSame(textOf(data), token)) {
      socket.close(wrongTokenCode, 'the token is wrong');
      return;
    }
    if (!place.admit()) {
      socket.close(tooManyCode, 'too many pages are open');
      return;
    }
    channels.serve(channelOf(socket));
    socket.send('ready');
  });
}

/** In a time that tells nothing about how much of it was right. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}

function channelOf(socket: WebSocket): Channel {
  return {
    send(message) {
      if (socket.readyState !== socket.OPEN) return undefined;
      if (socket.bufferedAmount < fullBytes) {
        socket.send(message);
        return undefined;
      }
      // Called when the bytes are out, and with an error when the socket has gone: either way the stream may go on.
      return new Promise((resolve) => socket.send(message, () => resolve()));
    },
    onMessage: (listener) =>
      void socket.on('message', (data, isBinary) => listener(isBinary ? bytesOf(data) : textOf(data))),
    onClose: (listener) => void socket.once('close', listener),
  };
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

function textOf(data: RawData): string {
  return Buffer.from(bytesOf(data)).toString('utf8');
}
