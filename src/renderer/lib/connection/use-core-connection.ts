import { useEffect, useState } from 'react';
import type { CloseReason, Connection, CoreClient } from './core-client.ts';
import { connectBySocket } from './socket-connection.ts';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';

export type CoreConnectionState =
  | { readonly type: 'connecting' }
  | { readonly type: 'ready'; readonly client: CoreClient }
  /** The connection is tried again automatically. */
  | { readonly type: 'lost' }
  | { readonly type: 'refused' };

const firstRetryMs = 500;
const longestRetryMs = 5_000;

/** The connection to the core. It reconnects automatically as long as that makes sense. */
export function useCoreConnection(): CoreConnectionState {
  const [state, setState] = useState<CoreConnectionState>({ type: 'connecting' });
  useEffect(() => {
    const stop = new AbortController();
    void keepConnected(setState, stop.signal);
    return () => stop.abort();
  }, []);
  return state;
}

async function keepConnected(show: (state: CoreConnectionState) => void, signal: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs;
  while (!signal.aborted) {
    const opened = await connect();
    if (signal.aborted) return;
    let reason: CloseReason;
    if (typeof opened === 'string') {
      reason = opened;
    } else {
      retryMs = firstRetryMs;
      show({ type: 'ready', client: opened.client });
      reason = await opened.closed;
    }
    if (signal.aborted) return;
    show({ type: reason });
    if (reason === 'refused') return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    retryMs = Math.min(retryMs * 2, longestRetryMs);
  }
}

/**
 * A page with our own scheme (or from a development server) is in a window with a preload. Any other is in a browser.
 */
async function connect(): Promise<Connection | CloseReason> {
  const isWindow = window.location.protocol === 'app:' || import.meta.env.DEV;
  return isWindow ? (windowConnection ??= connectByPort()) : connectBySocket();
}

/** The preload passes on one port for each page load, so the connection outlives components. */
let windowConnection: Connection | null = null;

/** The window's connection to the core: makes a channel and gives one end to the preload, which passes it to main. */
export function connectByPort(): Connection {
  const { port1, port2 } = new MessageChannel();
  const client: CoreClient = createORPCClient(new RPCLink({ port: port1 }));
  const closed = new Promise<'lost'>((resolve) => port1.addEventListener('close', () => resolve('lost')));
  port1.start();
  window.postMessage('dewpoint:port', window.location.origin, [port2]);
  return { client, closed };
}
