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
 * Makes a server behind a WebSocket look like a process with pipes, so that the same rules apply. Each text message
 * becomes one line. Binary messages are dropped.
 */
export async function connectSocket(
  { url, headers, open, signal }: SocketServer,
  onOutput: ServerStart['onOutput'],
): Promise<ServerProcess> {
  const socket = await open(url, { headers, protocols: ['mcp'], mostBytes: longestMessage });
  const ended = new Promise<{ readonly exitCode: null }>((resolve) => {
    socket.once('close', () => resolve({ exitCode: null }));
  });
  // In JSON, line breaks occur only between tokens.
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

/** Time for a clean close. */
const lastWordMs = 1_000;

async function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      // Later errors need no handling, because `close` follows each.
      socket.on('error', (error) => reject(error));
      socket.once('close', () => reject(new Error('it closed the connection at once')));
      if (signal.aborted) stop();
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
