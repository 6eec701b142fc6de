import { Socket } from 'node:net';

type Listener = (socket: Socket) => void;

const listeners = new Set<Listener>();

/**
 * Calls the listener with each outgoing socket of this process before it connects, whoever opens it: every way of Node,
 * with TLS or without, ends in this one function. The channel `net.client.socket` is not enough: some versions of Node
 * announce no socket of TLS on it. Returns what stops it.
 */
export function onEachConnection(listener: Listener): () => void {
  watch();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Once watched, always watched: what others put around the function later stays in place. */
let isWatched = false;

function watch(): void {
  if (isWatched) return;
  isWatched = true;
  const connect: unknown = Reflect.get(Socket.prototype, 'connect');
  if (typeof connect !== 'function') throw new TypeError('Connections cannot be counted in this version of Node.');
  Reflect.set(Socket.prototype, 'connect', function onConnect(this: Socket, ...given: readonly unknown[]): unknown {
    for (const listener of listeners) listener(this);
    return Reflect.apply(connect, this, given);
  });
}
