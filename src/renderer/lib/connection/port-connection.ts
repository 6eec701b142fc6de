import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { Connection, CoreClient } from './core-client.ts';

/** The window's way to the core: makes a channel and gives one end to the preload, which hands it to main. */
export function connectByPort(): Connection {
  const { port1, port2 } = new MessageChannel();
  const client: CoreClient = createORPCClient(new RPCLink({ port: port1 }));
  const closed = new Promise<'lost'>((resolve) => port1.addEventListener('close', () => resolve('lost')));
  port1.start();
  window.postMessage('dewpoint:port', window.location.origin, [port2]);
  return { client, closed };
}
