import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { success } from '@shared/errors.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { scratchDir, startEngine } from './support.ts';

let engine: LlamaEngine;
let server: Server;
let address: string;
let dir: string;
let isSlow = false;
const content = Buffer.alloc(3_000_000, 'model ');

/** A file server that behaves like a model hub: sizes, ranges, and slow when a test asks for it. */
function serve(): Server {
  return createServer((request, response) => {
    const refused = /^\/(401|403)\.gguf$/.exec(request.url ?? '')?.[1];
    if (refused !== undefined) {
      response.writeHead(Number(refused)).end();
      return;
    }
    if (request.url !== '/m.gguf') {
      response.writeHead(404).end();
      return;
    }
    const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '');
    const start = Number(range?.[1] ?? 0);
    const end = range?.[2] === undefined || range[2] === '' ? content.length - 1 : Number(range[2]);
    response.writeHead(range === null ? 200 : 206, {
      'content-length': end - start + 1,
      'content-range': `bytes ${start}-${end}/${content.length}`,
      'accept-ranges': 'bytes',
    });
    if (request.method === 'HEAD') response.end();
    else if (isSlow) response.write(content.subarray(start, start + 1000));
    else response.end(content.subarray(start, end + 1));
  });
}

beforeAll(async () => {
  dir = await scratchDir();
  engine = await startEngine();
  server = serve();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  address = typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : '';
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const options = (signal = new AbortController().signal) => ({ signal, onProgress: () => undefined });

describe('a download by address', () => {
  it('puts the file where it was asked to', async () => {
    const path = join(dir, 'm.gguf.download');
    expect(await engine.download(`${address}/m.gguf`, path, options())).toEqual(success(null));
    expect((await readFile(path)).equals(content)).toBe(true);
    expect(await readdir(dir)).toEqual(['m.gguf.download']);
  });

  it('fails in words when the address has no such file', async () => {
    const failed = await engine.download(`${address}/none.gguf`, join(dir, 'x.gguf'), options());
    expect(failed).toMatchObject({ ok: false, error: { code: 'not-found', message: /was not found/ } });
  });

  it('says that a model is gated when its source requires a sign-in', async () => {
    for (const status of [401, 403]) {
      const failed = await engine.download(`${address}/${status}.gguf`, join(dir, `${status}.gguf`), options());
      expect(failed).toMatchObject({ ok: false, error: { code: 'network', message: /is gated/ } });
    }
  });

  it('ends when it is cancelled, long before its silent source is given up', async () => {
    isSlow = true;
    const abort = new AbortController();
    let abortedAt = 0;
    const failed = await engine.download(`${address}/m.gguf`, join(dir, 'slow.gguf'), {
      signal: abort.signal,
      onProgress: () => {
        if (abortedAt === 0) abortedAt = performance.now();
        abort.abort();
      },
    });
    expect(failed).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    // Well before a silent source would be given up, which takes a minute.
    expect(performance.now() - abortedAt).toBeLessThan(30_000);
  });
});
