import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawData, WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { createNetSocket } from '../../../../src/main/lib/net/net-socket.ts';
import type { McpConnection } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { connectMcp } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';

const signal = new AbortController().signal;
const quiet = { signal, onProgress: () => undefined };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const textOf = (data: RawData): string => (data instanceof Buffer ? data.toString('utf8') : '');

type Talk = (socket: WebSocket, request: IncomingMessage) => void;

async function listen(talk: Talk): Promise<{ readonly url: string; readonly server: WebSocketServer }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'mcp' });
  server.on('connection', talk);
  await once(server, 'listening');
  ends.push(async () => {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const address = server.address();
  return { server, url: `ws://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/mcp` };
}

async function connect(url: string, more: Partial<Parameters<typeof connectMcp>[0]> = {}): Promise<McpConnection> {
  const definition = serverDefinitionSchema.parse({ kind: 'http', url });
  const connection = await connectMcp(
    {
      name: 'docs',
      definition,
      secrets: {},
      fetch: () => Promise.reject(new Error('Nothing is fetched.')),
      openSocket: createNetSocket(() => ({ proxy: null, certificates: null }), {}),
      start: () => Promise.reject(new Error('Nothing is started for an address.')),
      version: '1',
      onChanged: () => undefined,
      connectMs: 10_000,
      ...more,
    },
    signal,
  );
  ends.push(() => connection.close());
  return connection;
}

/** The reference package, which has no transport of this kind. One text is one message. */
const reference: Talk = (socket) => {
  const server = new McpServer({ name: 'reference', version: '3.1.0' });
  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: `one\ntwo: ${a + b}` }] }),
  );
  const transport: Parameters<typeof server.connect>[0] = {
    start: async () => undefined,
    // The message has several lines, as a server may write it.
    send: async (message) => socket.send(JSON.stringify(message, null, 2)),
    close: async () => socket.close(),
  };
  socket.on('message', (data) => transport.onmessage?.(JSON.parse(textOf(data))));
  socket.on('close', () => transport.onclose?.());
  void server.connect(transport);
};

describe('a server behind a WebSocket', () => {
  it('lists its tools and answers calls', async () => {
    const { url } = await listen(reference);
    const connection = await connect(url);
    expect(connection.server).toContain('reference 3.1.0');
    expect(connection.tools()).toMatchObject([{ name: 'add', inputSchema: { required: ['a', 'b'] } }]);
    expect(await connection.call('add', { a: 2, b: 3 }, quiet)).toEqual({ status: 'ok', output: 'one\ntwo: 5' });
  });

  it('gets the headers and the protocol of its settings', async () => {
    const seen: unknown[] = [];
    const { url } = await listen((socket, request) => {
      seen.push(request.headers.authorization, request.headers['sec-websocket-protocol']);
      reference(socket, request);
    });
    await connect(url, { secrets: { Authorization: 'Bearer swordfish' } });
    expect(seen).toEqual(['Bearer swordfish', 'mcp']);
  });

  it('that closes during a call is reported, and nothing waits', async () => {
    const { url, server } = await listen(reference);
    const connection = await connect(url);
    for (const socket of server.clients) socket.removeAllListeners('message');
    const call = connection.call('add', { a: 1, b: 1 }, quiet);
    for (const socket of server.clients) socket.terminate();
    expect(await call).toMatchObject({ status: 'unknown' });
    expect(connection.isOpen()).toBe(false);
  });

  it('that sends too much is cut off', async () => {
    const { url } = await listen((socket, request) => {
      reference(socket, request);
      socket.on('message', (data) => {
        if (!textOf(data).includes('tools/call')) return;
        const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        for (let at = 0; at < 5_000; at += 1) socket.send(note);
      });
    });
    const connection = await connect(url);
    await connection.call('add', { a: 1, b: 1 }, quiet);
    await expect.poll(() => connection.isOpen()).toBe(false);
  });

  it('that sends one message of 11 MB is cut off', async () => {
    const { url } = await listen((socket) => {
      socket.on('message', () => socket.send(`{"jsonrpc":"2.0","id":0,"result":"${'x'.repeat(11 * 1024 * 1024)}"}`));
    });
    await expect(connect(url)).rejects.toThrow('could not be used');
  });

  it('that is missing or no WebSocket is reported', async () => {
    await expect(connect('ws://127.0.0.1:1/mcp')).rejects.toThrow(/could not be used: nothing answers at its address/u);
  });

  it('behind a proxy is never reached around it', async () => {
    const openSocket = createNetSocket(() => ({ proxy: 'http://proxy.example:3128', certificates: null }), {});
    await expect(connect('wss://mcp.example.org/mcp', { openSocket })).rejects.toThrow('does not go through it');
    const excepted = createNetSocket(() => ({ proxy: null, certificates: null }), {
      https_proxy: 'http://proxy.example:3128',
      no_proxy: 'other.example, .invalid',
    });
    // The name does not resolve, which shows that the connection bypassed the proxy.
    await expect(connect('wss://mcp.invalid/mcp', { openSocket: excepted })).rejects.toThrow(
      /the name in its address/u,
    );
  });
});
