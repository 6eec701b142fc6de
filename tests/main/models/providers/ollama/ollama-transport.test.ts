import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOllamaApi } from '../../../../../src/main/models/providers/ollama/ollama-api.ts';
import type { OllamaApi } from '../../../../../src/main/models/providers/ollama/ollama-api.ts';

const never = new AbortController().signal;
const part = '{"message":{"content":"a"}}\n';
const last = '{"message":{"content":""},"done":true}\n';

interface Served {
  readonly api: OllamaApi;
  readonly asked: { readonly url: string; readonly init: RequestInit }[];
  /** How far the body was read: still `open`, `read` to its end, or `left` before it. */
  readonly body: { state: 'open' | 'read' | 'left' };
}

/** A server that answers each request with these pieces. */
function serve(...pieces: readonly string[]): Served {
  const asked: { url: string; init: RequestInit }[] = [];
  const body: Served['body'] = { state: 'open' };
  const get: typeof fetch = async (input, init = {}) => {
    asked.push({ url: input instanceof Request ? input.url : input.toString(), init });
    const left = [...pieces];
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const piece = left.shift();
      if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
      body.state = 'read';
      controller.close();
    };
    const cancel = (): void => void (body.state = 'left');
    return new Response(new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }));
  };
  return {
    api: createOllamaApi({ address: 'https://ollama.com', fetch: get, askMs: 5_000, loadMs: 5_000 }),
    asked,
    body,
  };
}

async function chat({ api }: Served, most = Number.POSITIVE_INFINITY): Promise<readonly unknown[]> {
  const values: unknown[] = [];
  for await (const value of await api.chat({ model: 'm', messages: [] }, never)) {
    values.push(value);
    if (values.length === most) break;
  }
  return values;
}

describe('the transport of Ollama', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('cuts at line ends, and reads to the end of the body', async () => {
    const served = serve(part.slice(0, 9), part.slice(9) + part, last.slice(0, -1), '\n');
    const values = await chat(served);
    expect(values).toEqual([part, part, last].map((line): unknown => JSON.parse(line)));
    expect(served.body.state).toBe('read');
  });

  it('fails on a line that is not JSON, and on half a line at the end', async () => {
    await expect(chat(serve(part, 'no json\n', last))).rejects.toThrow(SyntaxError);
    await expect(chat(serve(part, last.slice(0, 12)))).rejects.toThrow(SyntaxError);
  });

  it('ends when the server ends, also without a last part', async () => {
    expect(await chat(serve(part))).toHaveLength(1);
  });

  it('closes the connection when its reader stops', async () => {
    const served = serve(part, part, part);
    expect(await chat(served, 1)).toHaveLength(1);
    expect(served.body.state).toBe('left');
  });

  it('reports an error inside an answer as an error', async () => {
    await expect(chat(serve(part, '{"error":"model runner has unexpectedly stopped"}\n'))).rejects.toMatchObject({
      error: { code: 'engine-lost' },
    });
  });

  it('uses the signal of its call for every request, and no header but the content type', async () => {
    vi.stubEnv('OLLAMA_API_KEY', 'a-key-of-the-environment');
    const served = serve('{"version":"0.17.4","models":[],"done":true}');
    const { api } = served;
    const { signal } = new AbortController();
    await api.version(signal);
    await api.list(signal);
    await api.unload('m', signal);
    await api.remove('m', signal);
    expect(served.asked.map(({ url, init }) => [init.method ?? 'GET', new URL(url).pathname])).toEqual([
      ['GET', '/api/version'],
      ['GET', '/api/tags'],
      ['POST', '/api/chat'],
      ['DELETE', '/api/delete'],
    ]);
    for (const { init } of served.asked) {
      expect(init.headers).toEqual({ 'content-type': 'application/json' });
      expect(init.signal).toBeInstanceOf(AbortSignal);
    }
  });

  it('ends when its call is aborted', async () => {
    const controller = new AbortController();
    const get: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    const api = createOllamaApi({ address: 'http://127.0.0.1:1', fetch: get, askMs: 5_000, loadMs: 5_000 });
    const listing = api.list(controller.signal);
    controller.abort(new Error('left'));
    await expect(listing).rejects.toThrow();
  });
});
