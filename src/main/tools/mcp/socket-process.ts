import type { WebSocket } from 'ws';
import type { OpenSocket } from '../../lib/net/net-socket.ts';
import { longestMessage } from './process-transport.ts';
import type { ServerProcess, ServerStart } from './server-process.ts';

interface SocketServer {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly open: OpenSocket;
  readonly signal: AbortSignal;
}

/**
 * A server behind a WebSocket as if it ran here and wrote to its pipes, so that all that holds for those holds for it: a
 * message is a text, and a line. Bytes are no messages and are left out.
 */
export async function connectSocket(
  { url, headers, open, signal }: SocketServer,
  onOutput: ServerStart['onOutput'],
): Promise<ServerProcess> {
  const socket = await open(url, { headers, protocols: ['mcp'], mostBytes: longestMessage });
  const ended = new Promise<{ readonly exitCode: null }>((resolve) => {
    socket.once('close', () => resolve({ exitCode: null }));
  });
  // Line ends stand between the words of JSON, never in them.
  socket.on('message', (data, isBinary) => {
    if (!isBinary && data instanceof Buffer)
      onOutput('stdout', Buffer.from(`${data.toString('utf8').replaceAll(/[\r\n]/gu, ' ')}\n`));
  });
  await opened(socket, signal);
  return {
    ended,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.send(Buffer.from(bytes).toString('utf8').trimEnd(), (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => {
      socket.close(1_000);
      const timer = setTimeout(() => socket.terminate(), lastWordMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** To say goodbye in. */
const lastWordMs = 1_000;

async function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      // Later ones have nobody: `close` follows each.
      socket.on('error', (error) => reject(error));
      socket.once('close', () => reject(new Error('it closed the connection at once')));
      if (signal.aborted) stop();
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
