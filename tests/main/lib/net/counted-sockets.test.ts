import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { setTimeout as later } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SentLine } from '../../../../src/main/lib/net/sent-line.ts';
import { SocketCounts } from '../../../../src/main/lib/net/counted-sockets.ts';
import { createNetFetch } from '../../../../src/main/lib/net/net-fetch.ts';
import { createNetSocket } from '../../../../src/main/lib/net/net-socket.ts';
import { withReason } from '../../../../src/main/lib/net/send-reason.ts';
import { startCountedHost } from '../../../fakes/counted-host.ts';

interface Seen {
  out: number;
  in: number;
}

let lines: SentLine[] = [];
let counts: SocketCounts;
let time = Date.UTC(2026, 10, 30);
const open: (Server | HttpServer)[] = [];
/** What the servers of a test read and wrote, by their sockets. */
let seen: Seen[] = [];

beforeEach(() => {
  lines = [];
  seen = [];
  time = Date.UTC(2026, 10, 30);
  counts = new SocketCounts({ note: (line) => lines.push(line), now: () => (time += 1), isHere: () => false });
});

afterEach(() => {
  counts.stop();
  for (const server of open.splice(0)) server.close();
});

const usual = () => ({ proxy: null, certificates: null });
const sum = (of: readonly SentLine[]): Seen => ({
  out: of.reduce((all, line) => all + line.out, 0),
  in: of.reduce((all, line) => all + line.in, 0),
});
const both = (): Seen => ({
  out: seen.reduce((all, one) => all + one.out, 0),
  in: seen.reduce((all, one) => all + one.in, 0),
});

async function listening(server: Server | HttpServer): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** `out` is what the client sent. */
function watch(socket: Socket): void {
  const one = { out: 0, in: 0 };
  seen.push(one);
  socket.on('error', () => undefined);
  socket.on('close', () => Object.assign(one, { out: socket.bytesRead, in: socket.bytesWritten }));
}

describe('the count of sockets', () => {
  it.each([
    ['plain', false],
    ['encrypted', true],
  ])('has every byte of a %s request and of its answer, handshake and all', async (_name, isSecure) => {
    const host = await startCountedHost(
      (request, response) => request.resume().on('end', () => response.end('x'.repeat(70_000))),
      { isSecure },
    );
    const socket = isSecure
      ? connectTls({ host: '127.0.0.1', port: host.port, rejectUnauthorized: false })
      : connect(host.port, '127.0.0.1');
    const body = 'y'.repeat(300_000);
    socket.write(`POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    const wire = host.wires[0];
    await expect.poll(() => wire?.isClosed).toBe(true);
    expect(sum(lines)).toEqual({ out: wire?.out, in: wire?.in });
    expect(sum(lines).out).toBeGreaterThan(body.length + (isSecure ? 400 : 0));
    expect(sum(lines).in).toBeGreaterThan(70_000);
    await host.close();
  });

  it('announces a request before a byte of it leaves', async () => {
    const server = createHttp((request, response) => {
      request.resume().on('end', () => response.end());
    });
    let before: readonly SentLine[] = [];
    server.on('connection', (socket: Socket) => {
      watch(socket);
      socket.once('data', () => (before = [...lines]));
    });
    const port = await listening(server);
    const body = 'y'.repeat(1_000);
    await createNetFetch(usual, {})(`http://127.0.0.1:${port}/`, { method: 'POST', body });
    expect(before.slice(0, 2).map(({ state }) => state)).toEqual(['open', 'request']);
    expect(before[1]?.announced).toBeGreaterThan(1_000);
  });

  it.each([
    ['plain', false],
    ['encrypted', true],
  ])('announces at least as much as a %s request takes', async (_name, isSecure) => {
    const host = await startCountedHost((request, response) => request.resume().on('end', () => response.end('ok')), {
      isSecure,
    });
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-announced-'));
    const certificates = join(folder, 'host.pem');
    await writeFile(certificates, host.certificate);
    const reach = createNetFetch(() => ({ proxy: null, certificates }), {});
    for (const size of [null, 0, 1, 500_000]) {
      lines = [];
      const url = `${isSecure ? 'https' : 'http'}://localhost:${host.port}/`;
      await (await reach(url, size === null ? {} : { method: 'POST', body: 'y'.repeat(size) })).text();
      counts.settle();
      const at = lines.findIndex(({ state }) => state === 'request');
      const out = sum(lines.slice(at + 1)).out;
      expect(out).toBeGreaterThan(size ?? 0);
      expect(lines[at]?.announced).toBeGreaterThanOrEqual(out);
      expect(lines[at]?.announced).toBeLessThan(out + 1_000 + (size ?? 0) / 100);
    }
    await rm(folder, { recursive: true, force: true });
    await host.close();
  });

  /** Catches: a receipt that is sure that no more left, because the few bytes that open a tunnel have gone. */
  it('does not take the request that opens a tunnel for all that goes through it', async () => {
    const host = await startCountedHost((request, response) => request.resume().on('end', () => response.end('ok')), {
      isSecure: true,
      names: ['far.example'],
    });
    const proxy = createHttp();
    proxy.on('connect', (_request, inside: Socket) => {
      const outside = connect(host.port, '127.0.0.1', () => inside.write('HTTP/1.1 200 OK\r\n\r\n'));
      outside.on('error', () => inside.destroy()).pipe(inside);
      inside.on('error', () => outside.destroy()).pipe(outside);
    });
    const port = await listening(proxy);
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-tunnel-'));
    const certificates = join(folder, 'host.pem');
    await writeFile(certificates, host.certificate);
    const reach = createNetFetch(() => ({ proxy: `http://127.0.0.1:${port}`, certificates }), {});
    await (await reach(`https://far.example/`, { method: 'POST', body: 'y'.repeat(90_000) })).text();
    counts.settle();
    const through = lines.filter((line) => line.port === port);
    const requests = through.filter(({ state }) => state === 'request');
    expect(requests).toHaveLength(2);
    expect(requests[0]?.announced).toBeNull();
    const after = sum(through.slice(through.indexOf(requests[1] as SentLine) + 1)).out;
    expect(after).toBeGreaterThan(90_000);
    expect(requests[1]?.announced).toBeGreaterThanOrEqual(after);
    await rm(folder, { recursive: true, force: true });
    await host.close();
  });

  it('gives each of two sessions a connection of its own, and each its bytes', async () => {
    const server = createHttp((request, response) => {
      request.resume().on('end', () => response.end('ok'));
    });
    server.on('connection', watch);
    const port = await listening(server);
    const reach = createNetFetch(usual, {});
    const ask = (sessionId: string, size: number): Promise<string> =>
      withReason({ sessionId }, async () => {
        const response = await reach(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'y'.repeat(size) });
        return response.text();
      });
    await ask('one', 1_000);
    await ask('two', 20_000);
    await ask('one', 1_000);
    counts.settle();
    const of = (sessionId: string) => lines.filter(({ why }) => why.sessionId === sessionId);
    expect(seen).toHaveLength(2);
    expect(new Set(of('one').map(({ id }) => id)).size).toBe(1);
    expect(sum(of('one')).out).toBeLessThan(4_000);
    expect(sum(of('two')).out).toBeGreaterThan(20_000);
  });

  it('gives the messages of one open WebSocket to whoever sends them', async () => {
    const server = createHttp();
    const sockets = new WebSocketServer({ server });
    const got: string[] = [];
    sockets.on('connection', (socket) => socket.on('message', (data: Buffer) => got.push(String(data.length))));
    const port = await listening(server);
    const wish = { headers: {}, protocols: [], mostBytes: 1_000_000 };
    const socket = await withReason({ server: 'notes' }, () =>
      createNetSocket(usual, {})(new URL(`ws://127.0.0.1:${port}/`), wish),
    );
    await new Promise((resolve) => socket.once('open', resolve));
    withReason({ sessionId: 'one' }, () => socket.send('a'.repeat(500)));
    await expect.poll(() => got).toHaveLength(1);
    withReason({ sessionId: 'two' }, () => socket.send('b'.repeat(9_000)));
    await expect.poll(() => got).toHaveLength(2);
    counts.settle();
    const of = (sessionId: string) => sum(lines.filter(({ why }) => why.sessionId === sessionId)).out;
    expect(of('one')).toBeGreaterThanOrEqual(500);
    expect(of('one')).toBeLessThan(600);
    expect(of('two')).toBeGreaterThanOrEqual(9_000);
    socket.terminate();
    sockets.close();
  });

  it('counts what the system took, not what still waits for a server that never reads', async () => {
    let taken: Socket | null = null;
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      taken = socket;
      watch(socket);
    });
    const port = await listening(server);
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    const asked = 64 * 1024 * 1024;
    socket.write(Buffer.alloc(asked));
    await later(50);
    socket.destroy();
    await expect.poll(() => lines.at(-1)?.state).toBe('closed');
    const counted = sum(lines).out;
    expect(counted).toBeGreaterThan(0);
    expect(counted).toBeLessThan(asked);
    (taken as Socket | null)?.resume();
    await expect.poll(() => both().out).toBe(counted);
  });

  it('ends a connection of which nothing can be written down, before anything is sent', async () => {
    counts.stop();
    counts = new SocketCounts({
      note: () => {
        throw new Error('The disk is full.');
      },
      now: () => time,
      isHere: () => false,
    });
    const server = createServer((socket) => watch(socket));
    const port = await listening(server);
    const socket = connect(port, '127.0.0.1');
    socket.write('a secret');
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toBe('The disk is full.');
    await expect.poll(() => seen).toHaveLength(1);
    await later(20);
    expect(both().out).toBe(0);
  });

  it('sees loopback as staying here, unless a server there passes on what it gets', async () => {
    counts.stop();
    lines = [];
    counts = new SocketCounts({ note: (line) => lines.push(line), now: () => (time += 1) });
    const server = createHttp((request, response) => {
      request.resume().on('end', () => response.end('ok'));
    });
    const port = await listening(server);
    const reach = createNetFetch(usual, {});
    const ask = (more: Parameters<typeof withReason>[0]): Promise<string> =>
      withReason(more, async () => (await reach(`http://127.0.0.1:${port}/`)).text());
    await ask({ sessionId: 'stays' });
    await ask({ sessionId: 'passes', passesOn: true });
    await ask({ sessionId: 'proxy', host: 'far.example' });
    counts.settle();
    const here = (sessionId: string) =>
      new Set(lines.filter(({ why }) => why.sessionId === sessionId).map(({ isHere }) => isHere));
    expect(here('stays')).toEqual(new Set([true]));
    expect(here('passes')).toEqual(new Set([false]));
    expect(here('proxy')).toEqual(new Set([false]));
  });
});
