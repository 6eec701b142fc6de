import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A message bus and a gnome-keyring of their own, with a home of their own. */
export interface Ring {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Locks every ring, as a screen saver does. */
  readonly lock: () => void;
  /** The ring no longer answers, and answers again. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly stop: () => void;
}

export async function startRing(): Promise<Ring> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-ring-'));
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, HOME: home },
  });
  const address = await firstLine(bus);
  const env = { ...process.env, HOME: home, DBUS_SESSION_BUS_ADDRESS: address, DISPLAY: undefined };
  const ring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
  });
  ring.stdin.end('a password');
  await hasName(env);
  return {
    env,
    lock: () =>
      void dbusSend(env, '--dest=org.freedesktop.secrets', [
        '/org/freedesktop/secrets',
        'org.freedesktop.Secret.Service.LockService',
      ]),
    freeze: () => ring.kill('SIGSTOP'),
    thaw: () => ring.kill('SIGCONT'),
    stop: () => {
      ring.kill('SIGKILL');
      bus.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8').trim()));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}

/** The ring is ready when its name is on the bus. */
async function hasName(env: NodeJS.ProcessEnv): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const names = dbusSend(env, '--dest=org.freedesktop.DBus', [
      '/org/freedesktop/DBus',
      'org.freedesktop.DBus.ListNames',
    ]);
    if (names.includes('org.freedesktop.secrets')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('gnome-keyring did not come up');
}

function dbusSend(env: NodeJS.ProcessEnv, destination: string, args: readonly string[]): string {
  return execFileSync('dbus-send', ['--session', '--print-reply', destination, ...args], { env, encoding: 'utf8' });
}

/** A service that takes every key, and says which it was given. */
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

/** The files below a folder that hold a text. */
export function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}
