import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { CloseReason, Connection, CoreClient } from './core-client.ts';

const tokenKey = 'dewpoint-token';
const wrongTokenCode = 4401;

/**
 * The browser's connection to the core. The token comes in the fragment of the address, is stored for reloads of this
 * tab and removed from the address bar. It is the socket's first message; the server answers nothing before it.
 */
export function connectBySocket(): Promise<Connection | CloseReason> {
  const token = takeToken();
  if (token === null) return Promise.resolve('refused');
  const socket = new WebSocket(`ws://${window.location.host}/contract`);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve) => {
    const closed = new Promise<CloseReason>((close) => {
      socket.addEventListener('close', (event) => {
        const reason = event.code === wrongTokenCode ? 'refused' : 'lost';
        close(reason);
        resolve(reason);
      });
    });
    socket.addEventListener('open', () => socket.send(token), { once: true });
    socket.addEventListener(
      'message',
      () => {
        const client: CoreClient = createORPCClient(new RPCLink({ websocket: socket }));
        resolve({ client, closed });
      },
      { once: true },
    );
  });
}

function takeToken(): string | null {
  const given = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (given === null) return sessionStorage.getItem(tokenKey);
  sessionStorage.setItem(tokenKey, given);
  window.history.replaceState(null, '', window.location.pathname);
  return given;
}
