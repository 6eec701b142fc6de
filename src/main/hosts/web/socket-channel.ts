import { createHash, timingSafeEqual } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { Channel, ChannelServer } from '../../server/serve-channel.ts';
import type { PendingSocket } from './pending-sockets.ts';

/** The first message of a socket must be the token, within this time. */
const tokenTimeoutMs = 5_000;
/** Close code for a wrong token. The page then asks for the right address instead of trying again. */
const wrongTokenCode = 4401;
/** Close code if no token came in time, for example from a page on a busy machine. The page tries again. */
const noTokenCode = 4408;
/** Close code if too many pages are open. */
const tooManyCode = 1013;
/** If the browser has not taken more bytes than this, streams wait. */
const fullBytes = 1024 * 1024;

export interface Admission {
  readonly token: string;
  readonly channels: ChannelServer;
  /** Its place among the pending sockets. */
  readonly place: PendingSocket;
}

/** Serves the contract on a socket whose first message is the token. Closes any other socket. */
export function admitSocket(socket: WebSocket, { token, channels, place }: Admission): void {
  const timer = setTimeout(() => socket.close(noTokenCode, 'no token came'), tokenTimeoutMs);
  // Without a listener, an error (a message too large, an invalid frame) would end the process. `close` follows it.
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

/** Takes the same time however much of it is right. */
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
      // Called when the bytes were sent, or with an error if the socket is gone. The stream continues in both cases.
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
