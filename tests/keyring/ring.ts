import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startBus } from '../fakes/private-bus.ts';

/** A separate message bus and gnome-keyring with their own home. */
export interface Ring {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Locks every ring, as a screen saver does. */
  readonly lock: () => void;
  /** `freeze` stops the ring from answering, and `thaw` lets it answer again. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly stop: () => void;
}

export async function startRing(): Promise<Ring> {
  const bus = await startBus();
  const ring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: bus.env,
  });
  ring.stdin.end('a password');
  await bus.hasName('org.freedesktop.secrets');
  return {
    env: bus.env,
    lock: () =>
      void bus.call('org.freedesktop.secrets', [
        '/org/freedesktop/secrets',
        'org.freedesktop.Secret.Service.LockService',
      ]),
    freeze: () => ring.kill('SIGSTOP'),
    thaw: () => ring.kill('SIGCONT'),
    stop: () => {
      ring.kill('SIGKILL');
      bus.stop();
    },
  };
}

/** A service that accepts every key and records it. */
export interface Service {
  readonly baseUrl: string;
  /** The `authorization` of each request. */
  readonly seen: (string | undefined)[];
  readonly close: () => void;
}

export async function startService(): Promise<Service> {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    seen.push(authorization);
    response.writeHead(authorization === undefined ? 401 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: 'x' }] }));
  });
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, seen, close: () => void server.close() };
}

/** The files below a folder that contain a text. A file that disappears during the search counts as without it. */
export function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => contentOf(path).includes(text));
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
