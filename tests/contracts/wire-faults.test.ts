import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';
import type { WireFormat } from '../fakes/wire/streams.ts';
import { wireFormats } from '../fakes/wire/streams.ts';

const registry = allProviders();

function providerOf(format: WireFormat, door: typeof fetch, more: object = {}): Provider {
  const definition = registry.get(format.kind);
  if (definition === undefined) throw new Error(`no provider of the kind ${format.kind}`);
  const settings = definition.settings.parse({
    kind: format.kind,
    baseUrl: `http://service.invalid${format.basePath}`,
    ...more,
  });
  return definition.create(providerDependencies({ secret: async () => 'a-key', fetch: door }), { id: 'x', settings });
}

const whole = (body: string): typeof fetch => {
  return async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

const run = (format: WireFormat, door: typeof fetch, more: object = {}): Promise<readonly StreamPart[]> =>
  collect(providerOf(format, door, more).stream(request('m'), new AbortController().signal));

const endOf = (parts: readonly StreamPart[]): StreamEnded => {
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('the stream has no end');
  return last;
};

type Change = (key: string, value: unknown) => unknown;

/** The same stream with some fields changed. `undefined` removes a field. */
function changed(body: string, change: Change): string {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(key, walk(inner))]));
  };
  return body.replace(/^data: (\{.*\})(\r?)$/gmu, (_line, json: string, end: string) => {
    return `data: ${JSON.stringify(walk(JSON.parse(json)))}${end}`;
  });
}

const isUsage = (key: string): boolean => key === 'usage' || key === 'usageMetadata';

function numbersAs(value: unknown, wrong: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? wrong : value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, numbersAs(inner, wrong)]));
}

afterEach(() => vi.useRealTimers());

describe.each(wireFormats)('the provider $kind', (format) => {
  const silent: typeof fetch = () => new Promise(() => undefined);
  const stalls: typeof fetch = async () => {
    const begun = new TextEncoder().encode(format.body.slice(0, format.wholeFrom));
    return new Response(new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(begun) }), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };

  it.each([
    ['before its first word', silent, 300, {}],
    ['before its first word, for as long as the settings say', silent, 20, { firstWordSeconds: 20 }],
    ['in its middle', stalls, 90, {}],
  ])(
    'reports a stream that stalls %s as stalled, not sooner, and as worth another try',
    async (_when, door, seconds, more) => {
      vi.useFakeTimers();
      let parts: readonly StreamPart[] | null = null;
      const running = run(format, door, more).then((ended) => (parts = ended));
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(parts).toBeNull();
      await vi.advanceTimersByTimeAsync(2);
      const ended = await running;
      expect(endOf(ended).error).toMatchObject({ code: 'stalled', retryable: true });
      expect(ended.filter((part) => part.type === 'tool-call')).toEqual([]);
    },
  );

  it('estimates the tokens of an answer without usage, and says so', async () => {
    const parts = await run(format, whole(changed(format.body, (key, value) => (isUsage(key) ? undefined : value))));
    expect(parts.filter((part) => part.type === 'tool-call')).toHaveLength(1);
    const { usage, error } = endOf(parts);
    expect(error).toBeNull();
    expect(usage).toMatchObject({ estimated: true, cacheRead: 0, cacheWrite: 0 });
    expect(usage.output).toBeGreaterThan(1);
    expect(usage.freshInput).toBeGreaterThan(0);
  });

  it.each([[-5], [0], [1.5], [null], ['17'], [1e300]])(
    'counts reported usage of %j as whole numbers that are never below 0',
    async (wrong) => {
      const body = changed(format.body, (key, value) => (isUsage(key) ? numbersAs(value, wrong) : value));
      const parts = await run(format, whole(body));
      expect(parts.filter((part) => part.type === 'tool-call')).toHaveLength(1);
      const { usage } = endOf(parts);
      const { estimated, ...buckets } = usage;
      for (const [name, count] of Object.entries(buckets)) {
        expect({ name, isCount: Number.isSafeInteger(count) && count >= 0 }).toEqual({ name, isCount: true });
      }
      expect(usage.reasoning).toBeLessThanOrEqual(usage.output);
      expect(typeof estimated).toBe('boolean');
    },
  );

  it('counts nothing below 0 when more tokens came from the cache than there were', async () => {
    const more: Change = (key, value) => (/cache/iu.test(key) && typeof value === 'number' ? 5000 : value);
    const { usage } = endOf(await run(format, whole(changed(format.body, more))));
    expect(Math.min(usage.freshInput, usage.cacheRead, usage.cacheWrite, usage.output)).toBeGreaterThanOrEqual(0);
  });

  it('names a model that answers in place of another', async () => {
    const other: Change = (key, value) => (key === 'model' || key === 'modelVersion' ? 'lesser-9' : value);
    expect(endOf(await run(format, whole(changed(format.body, other)))).model).toBe('lesser-9');
  });

  it('ends the call on a broken frame, and runs none of its tools', async () => {
    const begun = format.body.slice(0, format.body.search(/\r?\n\r?\n/u));
    for (const frame of ['data: {"broken": \n\n', 'data: "text"\n\n', 'data: [1, 2]\n\n', 'data: null\n\n']) {
      const parts = await run(format, whole(`${begun}\n\n${frame}`));
      expect(endOf(parts).error?.retryable).toBe(true);
      expect(parts.filter((part) => part.type === 'tool-call')).toEqual([]);
    }
  });

  it('treats a web page or an empty answer as an error', async () => {
    const page: typeof fetch = async () =>
      new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } });
    for (const door of [page, whole('')]) expect(endOf(await run(format, door)).error).not.toBeNull();
    const gateway: typeof fetch = async () =>
      new Response('<!DOCTYPE html><html><head><title>Bad gateway</title></head></html>', { status: 502 });
    const { error } = endOf(await run(format, gateway));
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('a web page ("Bad gateway")') });
    expect(error?.message).not.toContain('<');
  });
});
