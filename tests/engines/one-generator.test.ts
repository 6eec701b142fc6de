import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Hardware } from '../../src/main/models/machine/hardware.ts';
import { createLlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import { ggufFile } from '../fakes/gguf-file.ts';
import type { FakeOllama } from '../fakes/ollama-server.ts';
import { startFakeOllama } from '../fakes/ollama-server.ts';
import { collect, request } from '../fakes/provider-kit.ts';
import { twoEngines } from '../fakes/two-engines.ts';
import { testPrograms } from '../fakes/test-programs.ts';

const gib = 1024 ** 3;
const never = new AbortController().signal;
const tokens = 4096;

let dir: string;
let server: FakeOllama;
let engine: LlamaEngine;
let inside: Provider;
let ollama: Provider;
let machineBytes: number;

/** Loaded models reduce the free memory, as on a real machine. */
function hardware(): Hardware {
  const taken = (engine.loadedPath() === null ? 0 : 0.6) + server.resident.size * 0.6;
  return { devices: [], host: { totalBytes: 64 * gib, freeBytes: machineBytes - taken * gib, source: 'test' } };
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-generators-'));
  server = await startFakeOllama();
  engine = createLlamaEngine({
    programs: testPrograms(),
    nodePath: process.execPath,
    workerPath: resolve('tests/fakes/fake-llama-worker.mjs'),
    now: () => performance.now(),
  });
  const path = join(dir, 'own.gguf');
  // The shape of an 8B model: 128 KiB of cache per token.
  const numbers = {
    block_count: 32,
    context_length: 8192,
    embedding_length: 4096,
    feed_forward_length: 14336,
    'attention.head_count': 32,
    'attention.head_count_kv': 8,
    vocab_size: 1000,
  };
  await writeFile(
    path,
    ggufFile({
      keys: [
        ['general.architecture', 'llama'],
        ...Object.entries(numbers).map(([key, value]): [string, number] => [`llama.${key}`, value]),
      ],
      tensors: [{ name: 'token_embd.weight', values: 64 }],
    }),
  );
  const both = twoEngines({ engine, modelPath: path, address: server.address, dir, contextTokens: tokens, hardware });
  inside = both.inside;
  ollama = both.ollama;
});

afterEach(async () => {
  await engine.dispose();
  await ollama.dispose();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const endOf = (parts: readonly StreamPart[]): StreamEnded => {
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('it never ended');
  expect(last.error).toBeNull();
  return last;
};
const callOf = async (provider: Provider): Promise<StreamEnded> =>
  endOf(await collect(provider.stream(request('m'), never)));

describe('two engines on one machine', () => {
  it('keep one model in memory when two do not fit, and the call says so', async () => {
    machineBytes = 1.6 * gib;
    expect((await callOf(inside)).engine).not.toHaveProperty('unloaded');
    expect(await callOf(ollama)).toMatchObject({
      engine: { unloaded: ['llama-cpp/own'], grantedTokens: tokens, contextTokens: tokens, findings: [] },
    });
    expect([engine.loadedPath(), [...server.resident.keys()]]).toEqual([null, ['m:latest']]);
    expect(await callOf(inside)).toMatchObject({ engine: { unloaded: ['ollama/m:latest'], grantedTokens: tokens } });
    expect([engine.loadedPath(), server.resident.size]).toEqual([expect.stringContaining('own.gguf'), 0]);
  });

  it('keep both models when both fit', async () => {
    machineBytes = 16 * gib;
    const ends = [await callOf(inside), await callOf(ollama), await callOf(inside)];
    for (const { engine: report } of ends) expect(report).not.toHaveProperty('unloaded');
    expect([engine.loadedPath() === null, server.resident.size]).toEqual([false, 1]);
  });

  it('answer one call at a time, in the order in which they came', async () => {
    machineBytes = 16 * gib;
    const stop = new AbortController();
    const order: string[] = [];
    const note = async (name: string, stream: AsyncIterable<StreamPart>): Promise<void> => {
      for await (const part of stream) {
        if (part.type === 'progress' && part.phase === 'waiting') order.push(`${name} waits`);
        if (part.type === 'text-delta' && order.at(-1) !== `${name} writes`) order.push(`${name} writes`);
        // The first call takes seconds. It is aborted once the others wait.
        if (order.filter((one) => one.endsWith('waits')).length === 2) stop.abort();
        if (part.type === 'ended') order.push(`${name} ended`);
      }
    };
    await Promise.all([
      note('first', inside.stream(request('m', 'slow'), stop.signal)),
      note('second', ollama.stream(request('m'), never)),
      note('third', inside.stream(request('m'), never)),
    ]);
    expect(order.filter((one) => one !== 'first writes')).toEqual([
      'second waits',
      'third waits',
      'first ended',
      'second writes',
      'second ended',
      'third writes',
      'third ended',
    ]);
  });
});
