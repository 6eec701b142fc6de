import type { Context, Router } from '@orpc/server';
import { RPCHandler } from '@orpc/server/ws';
import type { contract } from '@shared/contract/contract.ts';

/** The implemented contract: by the core itself, or by forwarding to a core elsewhere. */
export type CoreRouter = Router<typeof contract, Record<never, never>>;

type Message = string | ArrayBufferLike | Uint8Array;

/** One end of a connection to a page: a port of a window, or a socket of a browser. */
export interface Channel {
  /** Sends a message. If it returns a promise, the next message waits for it, because the other side reads slowly. */
  readonly send: (message: Message) => Promise<void> | undefined;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  /** Called once; then every request of the channel is aborted. */
  readonly onClose: (listener: () => void) => void;
}

export interface ChannelServer {
  readonly serve: (channel: Channel) => void;
}

/** How many messages are sent before timers, input and other channels get their turn. */
const messagesPerTurn = 64;

/**
 * Serves the contract over channels. A stream that always has a next item would block the event loop, so every 64
 * messages it waits for the loop's next turn.
 */
export function createChannelServer(router: CoreRouter): ChannelServer {
  const handler = new RPCHandler<Context>(router);
  return {
    serve(channel) {
      // The handler uses only these two members of a WebSocket. The only cast at this edge.
      const socket = socketOf(channel) as unknown as Parameters<typeof handler.upgrade>[0];
      void handler.upgrade(socket, { context: {} });
    },
  };
}

interface SocketLike {
  send(message: Message): Promise<void>;
  addEventListener(type: string, listener: (event: { readonly data: unknown }) => void): void;
}

function socketOf(channel: Channel): SocketLike {
  let sent = 0;
  return {
    // The handler waits for this promise before it asks a stream for its next item.
    async send(message) {
      await channel.send(message);
      sent += 1;
      if (sent % messagesPerTurn === 0) await new Promise<void>((resolve) => void setImmediate(resolve));
    },
    addEventListener(type, listener) {
      if (type === 'message') channel.onMessage((data) => listener({ data }));
      if (type === 'close') channel.onClose(() => listener({ data: undefined }));
    },
  };
}
