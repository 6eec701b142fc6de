import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGrantContext } from '../../../../../src/main/models/memory/grant-context.ts';
import { createHeaderReader } from '../../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createLlamaEngine } from '../../../../../src/main/models/engine/llama-engine.ts';
import type { LlamaEngine } from '../../../../../src/main/models/engine/llama-engine.ts';
import { createLoadSteps } from '../../../../../src/main/models/memory/load-steps.ts';
import type { ModelRequest, Provider, StreamEnded } from '../../../../../src/main/models/providers/define.ts';
import { createLlamaCppProvider } from '../../../../../src/main/models/providers/llama-cpp/create-llama-cpp-provider.ts';
import { ggufFile } from '../../../../fakes/gguf-file.ts';
import { testPrograms } from '../../../../fakes/test-programs.ts';

let dir: string;
let engine: LlamaEngine;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-steps-'));
});
afterEach(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const never = new AbortController().signal;

/** A provider as in the app. Its engine has room for this many cells. `how`: with more, it dies or reports an error. */
async function open(cells: number, how: 'dies' | 'says-so' = 'dies'): Promise<Provider> {
  const path = join(dir, `${how}-most-${cells}.gguf`);
  // Written only once, because a rewritten file counts as another one.
  await writeFile(path, ggufFile({ keys: [['general.architecture', 'novel']] }), { flag: 'wx' }).catch(() => undefined);
  engine = createLlamaEngine({
    nodePath: process.execPath,
    workerPath: resolve('tests/fakes/fake-llama-worker.mjs'),
    programs: testPrograms(),
    now: () => performance.now(),
  });
  const { grant, stepDown } = createGrantContext({
    readHeader: createHeaderReader(),
    readHardware: async () => ({ devices: [], host: { totalBytes: 1, freeBytes: 1, source: 'test' } }),
    enginePid: () => engine.pid(),
    loadedPath: () => engine.loadedPath(),
    steps: createLoadSteps(join(dir, 'steps.json')),
    now: () => 0,
  });
  return createLlamaCppProvider(
    {
      cacheDir: dir,
      now: () => 0,
      modelFile: async () => ({ path, contextTokens: null, parametersB: null, label: 'M' }),
      localModels: async () => ['m'],
      llama: engine,
      grantContext: grant,
      stepDown,
    },
    { id: 'llama-cpp', settings: { gpu: 'off' } },
  );
}

const request: ModelRequest = {
  model: 'm',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  output: { type: 'text' },
  prefill: null,
  stop: [],
  temperature: 0,
  topP: 1,
  seed: null,
  maxOutputTokens: 8,
  cacheKey: 'k',
};

async function call(provider: Provider): Promise<StreamEnded> {
  for await (const part of provider.stream(request, never)) if (part.type === 'ended') return part;
  throw new Error('it never ended');
}

describe('a model whose engine runs out of memory', () => {
  it('is loaded one step smaller at the next try, which says so and is remembered', async () => {
    const provider = await open(10_000);
    const lost = await call(provider);
    expect(lost.error).toMatchObject({ code: 'out-of-memory', retryable: true });
    expect(lost.error?.message).toContain(
      'From now on, it is loaded with 8192 tokens for one conversation instead of 8192 tokens for each of 3 conversations.',
    );
    const smaller = await call(provider);
    expect(smaller).toMatchObject({ error: null, engine: { askedTokens: 8192, grantedTokens: 8192 } });
    expect(smaller.engine?.why).toContain('its engine ran out of memory with 8192 tokens for each of 3 conversations');
    await engine.dispose();
    expect((await call(await open(10_000))).error).toBeNull();
  });

  it('is not made smaller twice', async () => {
    const provider = await open(2_000);
    expect((await call(provider)).error).toMatchObject({ code: 'out-of-memory', retryable: true });
    expect((await call(provider)).error).toMatchObject({ code: 'out-of-memory', retryable: false });
    expect((await call(provider)).error).toMatchObject({ code: 'out-of-memory', retryable: false });
  });

  it('gets half of the length if the engine itself found no room', async () => {
    const provider = await open(5_000, 'says-so');
    const lost = await call(provider);
    expect(lost.error?.message).toContain('4096 tokens for one conversation instead of 8192 tokens for each of 3');
    expect(await call(provider)).toMatchObject({ error: null, engine: { grantedTokens: 4096 } });
  });

  it('is reported by the call, also when the count before it ended the engine', async () => {
    const provider = await open(10_000);
    expect(await provider.countTokens(request, never)).toBeNull();
    expect((await call(provider)).error).toMatchObject({ code: 'out-of-memory', retryable: true });
    expect(await provider.countTokens(request, never)).toBe(7);
    expect((await call(provider)).error).toBeNull();
  });
});
