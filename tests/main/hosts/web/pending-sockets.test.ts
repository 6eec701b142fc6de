import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouterClient } from '@orpc/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createForwardRouter } from '../../../../src/main/server/forward-router.ts';
import { createRouter } from '../../../../src/main/server/router.ts';
import type { PageServer } from '../../../../src/main/hosts/web/page-server.ts';
import { startPageServer } from '../../../../src/main/hosts/web/page-server.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

let folder = '';
let server: PageServer;
/** The server's ends of all connections, in order. They show how much the server read. */
let ends: Socket[] = [];
let clients: Socket[] = [];
let pages: WebSocket[] = [];

const onSocket = (message: unknown): void => {
  if (typeof message === 'object' && message !== null && 'socket' in message && message.socket instanceof Socket)
    ends.push(message.socket);
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-waiting-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  const client = createRouterClient(createRouter(createScriptedCore().handlers));
  server = await startPageServer(createForwardRouter({ client: async () => client }), { port: 0, pageFolder: folder });
  subscribe('net.server.socket', onSocket);
});

afterEach(async () => {
  unsubscribe('net.server.socket', onSocket);
  for (const socket of clients) socket.destroy();
  for (const page of pages) page.terminate();
  await server.close();
  [ends, clients, pages] = [[], [], []];
  rmSync(folder, { recursive: true, force: true });
});

const port = (): number => Number(new URL(server.url).port);
const token = (): string => new URLSearchParams(new URL(server.url).hash.slice(1)).get('token') ?? '';

function upgrade(origin = `http://127.0.0.1:${port()}`): string {
  return `GET /contract HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
}

/** A client after the handshake. `isOpen` returns false once the server has closed the connection. */
function raw(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port(), '127.0.0.1', () => socket.write(upgrade()));
    clients.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => resolve(socket));
  });
}

/** The header of a frame of the given length. Its mask is zero, which leaves the payload as it is. */
function frameOf(bytes: number): Buffer {
  const header = Buffer.alloc(14);
  header.writeUInt8(0x82, 0);
  header.writeUInt8(0x80 | 127, 1);
  header.writeBigUInt64BE(BigInt(bytes), 2);
  return header;
}

async function page(): Promise<{ readonly socket: WebSocket; readonly answer: Promise<string> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port()}/contract`, {
    headers: { origin: `http://127.0.0.1:${port()}` },
  });
  pages.push(socket);
  socket.on('error', () => undefined);
  const answer = new Promise<string>((resolve) => {
    socket.once('message', (data: Buffer) => resolve(data.toString()));
    socket.once('close', (code) => resolve(String(code)));
  });
  await new Promise((resolve) => socket.once('open', resolve));
  return { socket, answer };
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));

it('the page server reads only a few bytes of a socket without a token', async () => {
  const sockets = await Promise.all(Array.from({ length: 24 }, raw));
  const mebibyte = Buffer.alloc(1024 * 1024);
  for (const socket of sockets) {
    socket.write(frameOf(15.5 * 1024 * 1024));
    for (let count = 0; count < 15; count += 1) socket.write(mebibyte);
  }
  await Promise.all(sockets.map(closed));
  const taken = ends.map((end) => end.bytesRead);
  // The server reads at most one chunk of the system before it counts.
  expect(taken.every((bytes) => bytes <= 128 * 1024)).toBe(true);
  expect(taken.length).toBe(24);
}, 30_000);

it('the page server reads only a few bytes after a wrong token', async () => {
  const socket = await raw();
  socket.write(Buffer.concat([Buffer.from([0x81, 0x81, 0, 0, 0, 0]), Buffer.from('x')]));
  for (let count = 0; count < 100 && !socket.closed; count += 1) {
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | 126, 0x10, 0, 0, 0, 0, 0]), Buffer.alloc(4096)]));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await closed(socket);
  expect(ends[0]?.bytesRead).toBeLessThan(128 * 1024);
});

it('the page server lets few sockets wait, and still lets in a page with the token', async () => {
  const sockets = await Promise.all(Array.from({ length: 60 }, raw));
  await Promise.all(sockets.slice(0, 28).map(closed));
  expect(sockets.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(32);
  const { socket, answer } = await page();
  socket.send(token());
  expect(await answer).toBe('ready');
  expect(sockets.filter((each) => !each.closed).length).toBeLessThanOrEqual(32);
});

it('the page server takes long messages of a page with the token', async () => {
  const { socket, answer } = await page();
  socket.send(token());
  expect(await answer).toBe('ready');
  const answered = new Promise((resolve) => socket.once('message', resolve));
  const call = { i: '1', p: { u: '/sessions/list', b: { json: 'x'.repeat(8 * 1024 * 1024) } } };
  socket.send(JSON.stringify(call));
  await answered;
  expect(socket.readyState).toBe(socket.OPEN);
});

it('the page server serves a bounded number of pages, and another when one has gone', async () => {
  const answers: string[] = [];
  for (let count = 0; count < 65; count += 1) {
    const { socket, answer } = await page();
    socket.send(token());
    answers.push(await answer);
  }
  expect([answers.filter((answer) => answer === 'ready').length, answers.at(-1)]).toEqual([64, '1013']);
  const [first] = pages;
  const gone = new Promise((resolve) => first?.once('close', resolve));
  first?.close();
  await gone;
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { socket, answer } = await page();
  socket.send(token());
  expect(await answer).toBe('ready');
});

it('the page server survives sockets of a foreign page that close while they are refused', async () => {
  for (let count = 0; count < 50; count += 1) {
    const socket = connect(port(), '127.0.0.1');
    clients.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(upgrade('https://evil.example'), () => socket.resetAndDestroy());
  }
  const kept = connect(port(), '127.0.0.1', () => kept.write(upgrade('https://evil.example')));
  clients.push(kept);
  const text = await new Promise((resolve) => kept.once('data', (bytes: Buffer) => resolve(bytes.toString())));
  expect(text).toContain('403');
  // The server also closes a connection to a client that does not close its own end.
  kept.pause();
  await Promise.all(ends.map(closed));
});
