import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';
import type { WireFormat } from '../fakes/wire/streams.ts';
import { wireFormats } from '../fakes/wire/streams.ts';

const registry = allProviders();

function createProvider(format: WireFormat, address: string, door?: typeof fetch, now?: () => number): Provider {
  const definition = registry.get(format.kind);
  if (definition === undefined) throw new Error(`no provider of the kind ${format.kind}`);
  const settings = { kind: format.kind, baseUrl: `${address}${format.basePath}` };
  const secret = async (): Promise<string> => 'a-key';
  const more = { ...(door === undefined ? {} : { fetch: door }), ...(now === undefined ? {} : { now }) };
  return definition.create(providerDependencies({ secret, ...more }), {
    id: 'x',
    settings: definition.settings.parse(settings),
  });
}

const run = (provider: Provider, signal = new AbortController().signal): Promise<readonly StreamPart[]> =>
  collect(provider.stream(request('m'), signal));

/** A service without a socket: one answer in two pieces, complete or cut. */
function inMemory(
  body: string,
  options: { readonly status?: number; readonly headers?: Record<string, string>; readonly cut?: boolean } = {},
): typeof fetch {
  const bytes = new TextEncoder().encode(body);
  return async () => {
    const middle = Math.floor(bytes.length / 2);
    const pieces = [bytes.slice(0, middle), bytes.slice(middle)];
    const stream = new ReadableStream<Uint8Array>({
      // One piece for each pull, because an error would discard queued pieces.
      pull(controller) {
        const piece = pieces.shift();
        if (piece !== undefined) controller.enqueue(piece);
        else if (options.cut === true) controller.error(new TypeError('terminated'));
        else controller.close();
      },
    });
    const type = options.status === undefined ? 'text/event-stream' : 'application/json';
    return new Response(stream, {
      status: options.status ?? 200,
      headers: { 'content-type': type, ...options.headers },
    });
  };
}

const answered = (format: WireFormat, door: typeof fetch): Promise<readonly StreamPart[]> =>
  run(createProvider(format, 'http://service.invalid', door));

const endOf = (parts: readonly StreamPart[]): StreamEnded => {
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('the stream has no end');
  return last;
};

const textIn = (parts: readonly StreamPart[], type: 'text-delta' | 'reasoning-delta'): string =>
  parts.map((part) => (part.type === type ? part.text : '')).join('');

let server: Server | null = null;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())));
  server = null;
});

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly key: string;
}

async function serve(format: WireFormat, hang: boolean): Promise<{ readonly address: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const made = createServer((message, response) => {
    const key = String(message.headers[format.keyHeader] ?? '');
    seen.push({ method: message.method ?? '', url: message.url ?? '', key });
    message.resume();
    if (message.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(format.list);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (hang) response.write(format.body.slice(0, 40));
    else response.end(format.body);
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  const bound = made.address();
  return { address: `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`, seen };
}

describe.each(wireFormats)('the wire format of $kind', (format) => {
  it('carries the key to a server, and the answer, call, counts and model back', async () => {
    const { address, seen } = await serve(format, false);
    const parts = await run(createProvider(format, address));
    expect(seen).toEqual([
      { method: 'POST', url: expect.stringMatching(format.postPath), key: expect.stringContaining('a-key') },
    ]);
    expect(textIn(parts, 'text-delta')).toBe('I look. ');
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
    expect(calls).toMatchObject([{ id: 'c1', name: 'read_file', input: { path: 'a.py' } }]);
    expect(endOf(parts)).toMatchObject({ stopReason: 'tool-calls', usage: format.usage, error: null });
    expect(endOf(parts).model).toMatch(/^m/);
  });

  it('hands out reasoning, and marks what must go back to its service with its owner', async () => {
    const parts = await answered(format, inMemory(format.body));
    if (format.kind !== 'openai') expect(textIn(parts, 'reasoning-delta')).toBe(format.reasoning);
    const carried = parts.flatMap((part) =>
      part.type === 'reasoning'
        ? [part.part.by]
        : part.type === 'tool-call' && part.call.state !== undefined
          ? [part.call.by]
          : [],
    );
    expect(carried).toEqual(format.reasoning === '' ? [] : [`${format.kind}/m`]);
  });

  it('measures writing from the first word on when all of the answer is seen', async () => {
    let clock = 0;
    const pieces = [format.body.slice(0, format.wholeFrom), format.body.slice(format.wholeFrom)];
    const door: typeof fetch = async () =>
      new Response(
        new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              clock += 400;
              const piece = pieces.shift();
              if (piece === undefined) controller.close();
              else controller.enqueue(new TextEncoder().encode(piece));
            },
          },
          { highWaterMark: 0 },
        ),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const parts = await run(createProvider(format, 'http://service.invalid', door, () => clock));
    const { decodeMs, totalMs } = endOf(parts).timings;
    // This answer of the Responses API says that it thought, but streams none of its thinking.
    expect(decodeMs).toBe(format.kind === 'openai' ? null : totalMs - 400);
  });

  it('lists the models of the service that can chat', async () => {
    const { address } = await serve(format, false);
    const models = await createProvider(format, address).list(new AbortController().signal);
    expect(models.map((model) => model.id)).toEqual(['x/m']);
  });

  it('hands on no call from a stream that is cut at any byte', async () => {
    // One of the two Chat Completions services is enough.
    const until = format.kind === 'huggingface' ? 0 : format.wholeFrom;
    for (let at = 0; at <= until; at += 1) {
      const parts = await answered(format, inMemory(format.body.slice(0, at), { cut: at % 2 === 0 }));
      const end = endOf(parts);
      expect({ at, calls: parts.filter((part) => part.type === 'tool-call').length }).toEqual({ at, calls: 0 });
      expect({ at, ends: parts.filter((part) => part.type === 'ended').length }).toEqual({ at, ends: 1 });
      expect({ at, retryable: end.error?.retryable }).toEqual({ at, retryable: true });
    }
  }, 300_000);

  it('never counts less output than it has seen of an answer that broke off', async () => {
    const half = format.body.slice(0, Math.floor(format.wholeFrom * 0.9));
    const { usage } = endOf(await answered(format, inMemory(half, { cut: true })));
    expect(usage.output).toBeGreaterThan(1);
    expect(usage.estimated).toBe(true);
  });

  it.each([
    [429, 'rate-limit', true],
    [500, 'overloaded', true],
    [503, 'overloaded', true],
    [529, 'overloaded', true],
    [401, 'auth', false],
    [403, 'auth', false],
    [404, 'missing-model', false],
  ] as const)('explains status %i', async (status, code, retryable) => {
    const body = JSON.stringify({ error: { message: 'no' } });
    expect(endOf(await answered(format, inMemory(body, { status }))).error).toMatchObject({ code, retryable });
  });

  it('reads the waiting time in seconds, in milliseconds and as a date', async () => {
    const wait = async (headers: Record<string, string>): Promise<number | undefined> =>
      endOf(await answered(format, inMemory('{}', { status: 429, headers }))).error?.retryAfterMs;
    expect(await wait({ 'retry-after': '7' })).toBe(7000);
    expect(await wait({ 'retry-after-ms': '250' })).toBe(250);
    expect(await wait({ 'retry-after': new Date(0).toUTCString() })).toBe(0);
    expect(await wait({})).toBe(undefined);
  });

  it('tells a full context from another bad request', async () => {
    const full = inMemory(format.errorBody(format.contextFull), { status: 400 });
    expect(endOf(await answered(format, full)).error).toMatchObject({ code: 'context-full', retryable: false });
    const other = inMemory(format.errorBody('Unknown name "x"'), { status: 400 });
    expect(endOf(await answered(format, other)).error).toMatchObject({ code: 'bad-request', retryable: false });
  });

  it('treats an error inside a 200 as a failure that may be tried again', async () => {
    const begun = /^[^]*?\r?\n\r?\n/.exec(format.body)?.[0] ?? '';
    const parts = await answered(format, inMemory(begun + format.errorFrame));
    expect(endOf(parts).error).toMatchObject({ code: 'overloaded', retryable: true });
  });

  it('reports that nobody answers', async () => {
    const refused: typeof fetch = async () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    };
    const { error } = endOf(await answered(format, refused));
    expect(error).toMatchObject({ code: 'network', retryable: true });
    expect(error?.message).toContain('ECONNREFUSED');
  });

  it('ends at once as cancelled, even if the server hangs', async () => {
    const { address, seen } = await serve(format, true);
    const controller = new AbortController();
    const running = run(createProvider(format, address), controller.signal);
    await expect.poll(() => seen.length).toBe(1);
    controller.abort();
    expect(endOf(await running)).toMatchObject({ stopReason: 'cancelled', error: null });
  });
});
