import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { McpConnection } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { connectMcp } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';

const signal = new AbortController().signal;
const open: McpConnection[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A server built with the reference package, reached by its own `fetch`. */
function reference(): McpServer {
  const server = new McpServer({ name: 'reference', version: '3.1.0' });
  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerTool('fails', { description: 'Fails.' }, async () => ({
    content: [{ type: 'text', text: 'no such issue' }],
    isError: true,
  }));
  return server;
}

async function connect(reach: typeof fetch, more: { readonly secrets?: Readonly<Record<string, string>> } = {}) {
  const connection = await connectMcp(
    {
      name: 'docs',
      definition: serverDefinitionSchema.parse({ kind: 'http', url: 'https://mcp.example.org/mcp' }),
      secrets: more.secrets ?? {},
      fetch: reach,
      start: () => Promise.reject(new Error('Nothing is started for an address.')),
      version: '1',
      onChanged: () => undefined,
      connectMs: 5_000,
    },
    signal,
  );
  open.push(connection);
  return connection;
}

const quiet = { signal, onProgress: () => undefined };

describe.each([
  ['2026-07-28', {}],
  ['2025-11-25', { 'mcp-legacy': 'yes' }],
])('a server over HTTP that speaks MCP %s', (revision, mark) => {
  const handler = createMcpHandler(() => reference());
  const isOld = Object.keys(mark).length > 0;
  const reach: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    // A server from before the new revision does not know `server/discover`.
    const body: unknown = isOld && request.method === 'POST' ? await request.clone().json() : null;
    const isAsked = typeof body === 'object' && body !== null && Reflect.get(body, 'method') === 'server/discover';
    if (!isAsked) return handler.fetch(request);
    const error = { jsonrpc: '2.0', id: Reflect.get(body, 'id'), error: { code: -32601, message: 'Method not found' } };
    return Response.json(error);
  };

  it('lists its tools with their schemas as they are, and answers calls', async () => {
    const connection = await connect(reach);
    expect(connection.server).toBe(`reference 3.1.0, MCP ${revision}`);
    const [add] = connection.tools();
    expect(add).toMatchObject({ name: 'add', inputSchema: { type: 'object', required: ['a', 'b'] } });
    expect(await connection.call('add', { a: 2, b: 3 }, quiet)).toEqual({ status: 'ok', output: '5' });
  });

  it('says what went wrong, in its own words', async () => {
    const connection = await connect(reach);
    expect(await connection.call('fails', {}, quiet)).toEqual({ status: 'error', output: 'no such issue' });
    expect(await connection.call('add', { a: 'x' }, quiet)).toMatchObject({ status: 'error' });
    expect(await connection.call('absent', {}, quiet)).toMatchObject({ status: 'error' });
  });

  // Catches: one invalid tool that makes all others of its server unusable, or that is accepted silently.
  it('keeps the valid tools of a list, and names the others', async () => {
    const good = { name: 'good', inputSchema: { type: 'object' } };
    const bad = [
      { name: 'a' },
      { name: 'b', inputSchema: 5 },
      null,
      'text',
      { ...good, name: 7 },
      { ...good, name: 'list', inputSchema: { type: 'array' } },
      { ...good, name: 'wrong-words', annotations: { title: 5 } },
      { ...good, name: 'wrong-result', outputSchema: 'none' },
      { ...good, name: 'wrong-icon', icons: [{ src: 5 }] },
    ];
    const connection = await connect(async (input, init) => {
      const response = await reach(input, init);
      if (typeof init?.body !== 'string' || !init.body.includes('"tools/list"')) return response;
      const text = await response.text();
      return new Response(
        text.replace('"tools":[', () => `"tools":[${bad.map((one) => `${JSON.stringify(one)},`).join('')}`),
        response,
      );
    });
    expect(connection.tools().map(({ name }) => name)).toEqual(['add', 'fails']);
    expect(connection.leftOut()).toBe(bad.length);
    expect(connection.unusable?.()).toEqual([
      'a',
      'b',
      'number 3 of its list',
      'number 4 of its list',
      'number 5 of its list',
      'list',
      'wrong-words',
      'wrong-result',
      'wrong-icon',
    ]);
    expect(await connection.call('add', { a: 2, b: 3 }, quiet)).toEqual({ status: 'ok', output: '5' });
    await connection.refresh(signal);
    expect(connection.leftOut()).toBe(bad.length);
  });
});

describe('the address of a server', () => {
  it('gets its key with every request, and a redirect does not pass it on', async () => {
    const seen: string[] = [];
    const handler = createMcpHandler(() => reference());
    const reach: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      seen.push(`${new URL(request.url).host} ${request.headers.get('authorization') ?? 'none'}`);
      return handler.fetch(request);
    };
    const connection = await connect(reach, { secrets: { Authorization: 'Bearer swordfish' } });
    await connection.call('add', { a: 1, b: 1 }, quiet);
    expect(new Set(seen)).toEqual(new Set(['mcp.example.org Bearer swordfish']));
    const away: typeof fetch = async () =>
      new Response(null, { status: 307, headers: { location: 'https://evil.example.net/mcp' } });
    await expect(connect(away, { secrets: { Authorization: 'Bearer swordfish' } })).rejects.toThrow(
      'could not be used',
    );
  });

  it('that needs a key says how to set one', async () => {
    const reach: typeof fetch = async () => new Response('no', { status: 401 });
    await expect(connect(reach)).rejects.toMatchObject({ hint: expect.stringContaining('dewpoint tools secret docs') });
  });

  it('that sends without end is cut off', async () => {
    const piece = new Uint8Array(8 * 1024 * 1024).fill(32);
    let sent = 0;
    const reach: typeof fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += piece.length;
          controller.enqueue(piece);
        },
      });
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    };
    await expect(connect(reach)).rejects.toThrow('could not be used');
    expect(sent).toBeLessThan(128 * 1024 * 1024);
  });
});

/** A server of the old protocol, written by hand: each call returns this, whatever the protocol says about it. */
function returning(result: unknown, more: Readonly<Record<string, unknown>> = {}): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method } = z.object({ id: z.unknown().optional(), method: z.string() }).parse(await request.json());
    if (id === undefined) return new Response(null, { status: 202 });
    const schema = { type: 'object' };
    const answers: Readonly<Record<string, unknown>> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      },
      ...more,
      'tools/list': { tools: [{ name: 'weigh', inputSchema: schema, outputSchema: schema }] },
      'tools/call': result,
    };
    const error = { code: -32601, message: 'Method not found' };
    const answer = Object.hasOwn(answers, method) ? { result: answers[method] } : { error };
    return Response.json({ jsonrpc: '2.0', id, ...answer });
  };
}

// Catches: the work of a tool is thrown away, and the person reads a dump of the protocol's schema.
describe('a result that the protocol does not allow', () => {
  it.each([
    [
      'a part of an unknown kind',
      { content: [{ type: 'hologram' }, { type: 'text', text: '3 kg' }] },
      /not shown\]\n3 kg$/u,
    ],
    ['an image without its type', { content: [{ type: 'image', data: 'AAAA' }] }, /^\[image, 3 B: not shown/u],
    ['only text where values were promised', { content: [{ type: 'text', text: '3 kg' }] }, /^3 kg$/u],
    ['a list where values were promised', { content: [], structuredContent: [3] }, /^\[\n 3\n\]$/u],
  ])('is read as far as it goes: %s', async (_name, result, output) => {
    const connection = await connect(returning(result));
    expect(await connection.call('weigh', {}, quiet)).toMatchObject({
      status: 'ok',
      output: expect.stringMatching(output),
    });
  });

  it('stays an error where the server says so', async () => {
    const connection = await connect(returning({ content: [{ type: 'text', text: 'No scales' }, 5], isError: true }));
    expect(await connection.call('weigh', {}, quiet)).toMatchObject({ status: 'error', output: 'No scales' });
  });

  it('is named in words at the start, too', async () => {
    const broken = returning(null, { initialize: { protocolVersion: 5, capabilities: 'all' } });
    await expect(connect(broken)).rejects.toThrow(
      'The tool server docs could not be used: its answer has a form that the protocol does not allow.',
    );
  });
});

// Catches: "Version negotiation probe failed: fetch failed", which says nothing to a person.
describe('an address that is not one of a tool server', () => {
  const page = '<!doctype html><title>Sign in</title>';
  const html = { 'content-type': 'text/html' };
  it.each([
    ['a page', () => new Response(page, { headers: html }), 'a web page answered, and no tool server'],
    [
      'a page for what is missing',
      () => new Response(page, { status: 404, headers: html }),
      'a web page answered, and no tool server (HTTP 404)',
    ],
    [
      'nothing of that name',
      () => new Response('', { status: 405 }),
      'it does not answer as a tool server does (HTTP 405)',
    ],
  ])('is told of by what answers there: %s', async (_name, answer, why) => {
    await expect(connect(async () => answer())).rejects.toThrow(`The tool server docs could not be used: ${why}.`);
  });

  // Catches: a tool server that is busy for a while, and is called none.
  it.each([
    ['an error', () => new Response('Out of disk.', { status: 500 }), 'it has a fault (HTTP 500): Out of disk'],
    ['a page of its proxy', () => new Response(page, { status: 503, headers: html }), 'it has a fault (HTTP 503)'],
    [
      'too many calls',
      () => Response.json({ error: { message: 'Only 5 a minute' } }, { status: 429 }),
      'it is busy (HTTP 429): Only 5 a minute',
    ],
  ])('is not what a tool server in trouble is called: %s', async (_name, answer, why) => {
    const failed = connect(async () => answer());
    await expect(failed).rejects.toThrow(`The tool server docs could not be used: ${why}.`);
    await expect(failed).rejects.toMatchObject({ hint: 'Try again in a while: dewpoint tools test docs' });
  });

  it('is told of if nothing answers there', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((done) => server.close(done));
    const reach: typeof fetch = () => fetch(`http://127.0.0.1:${port}/mcp`);
    await expect(connect(reach)).rejects.toThrow('could not be used: nothing answers at its address.');
  });
});
