import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hardware } from '../../src/main/models/machine/hardware.ts';
import { enginesDir } from '../../src/main/models/engine/engine-variants.ts';
import { createGrantContext } from '../../src/main/models/memory/grant-context.ts';
import type { ContextGrants } from '../../src/main/models/memory/grant-context.ts';
import { createMachineProbe, readHardware } from '../../src/main/models/machine/hardware.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createLlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { createLoadSteps } from '../../src/main/models/memory/load-steps.ts';
import {
  builtWorker,
  cacheDir,
  clock,
  collect,
  createTestProvider,
  modelPath,
  modelRequest,
  nodePath,
  scratchDir,
} from '../engines/support.ts';
import { testPrograms } from '../fakes/test-programs.ts';

// On a machine with a graphics card, and with the engine's library for it: `npm test -- gpu` brings that.
const model = 'smollm2-135m-instruct';
const wish = { askedTokens: 4096, sequences: 1, gpu: 'auto' } as const;
const mebi = 1024 * 1024;

let engine: LlamaEngine;
let dir: string;
/** Cards that a test says are there, in place of the real ones. */
let said: Parameters<typeof readHardware>[0] = [];

beforeAll(async () => {
  dir = await scratchDir();
  engine = createLlamaEngine({
    programs: testPrograms(),
    nodePath,
    workerPath: await builtWorker(),
    enginesDir: enginesDir(cacheDir()),
    now: clock,
  });
});
afterAll(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const byTools = (): Promise<Hardware> =>
  readHardware([], AbortSignal.timeout(10_000), createMachineProbe(testPrograms()));
const hardware = (signal: AbortSignal): Promise<Hardware> =>
  readHardware(said, signal, { ...createMachineProbe(testPrograms()), seenByEngine: (wait) => engine.cards(wait) });

function plansOf(name: string): ContextGrants {
  return createGrantContext({
    readHeader: createHeaderReader(),
    readHardware: hardware,
    enginePid: () => engine.pid(),
    loadedPath: () => engine.loadedPath(),
    steps: createLoadSteps(join(dir, `${name}.json`)),
    now: () => 0,
  });
}

async function answerWith(plans: ContextGrants) {
  const provider = await createTestProvider(engine, { contextTokens: 4096, cacheDir: dir, gpu: 'auto', plans });
  const request = modelRequest(model, 'Say hello.', { maxOutputTokens: 32 });
  return (await collect(provider.stream(request, new AbortController().signal))).ended;
}

describe('a graphics card', () => {
  it('is seen by the engine with the memory that its vendor’s tool says', async () => {
    const seen = await engine.cards(AbortSignal.timeout(60_000));
    const { devices } = await byTools();
    if (seen === null)
      throw new Error('The engine sees no card: for CUDA it needs the runtime of NVIDIA (libcudart, libcublas), too.');
    const sum = devices.reduce((total, { totalBytes }) => total + totalBytes, 0);
    // A driver keeps some of it for itself.
    expect(seen.totalBytes / sum).toBeGreaterThan(0.9);
    expect(seen.totalBytes / sum).toBeLessThan(1.02);
  });

  it('holds a model as planned: all layers, on the backend that is shown, in the bytes that were predicted', async () => {
    said = [];
    const plans = plansOf('whole');
    const granted = await plans.grant(modelPath(model), wish);
    expect(granted).toMatchObject({ placement: 'devices', expectsCard: true, grantedTokens: 4096 });
    const before = (await byTools()).devices.reduce((sum, { freeBytes }) => sum + freeBytes, 0);
    const { engine: load, error, timings } = await answerWith(plans);
    const after = (await byTools()).devices.reduce((sum, { freeBytes }) => sum + freeBytes, 0);
    expect(error).toBeNull();
    expect(load?.backend).toMatch(/^(cuda|vulkan|metal)$/u);
    expect(load?.findings ?? []).not.toContain('other-backend');
    const [predicted, observed] = [load?.predictedBytes ?? 0, load?.observedBytes ?? 0];
    expect(Math.abs(predicted - observed)).toBeLessThan(Math.max(observed * 0.02, 300 * mebi));
    // By the vendor's own counter, what the card's driver takes for a process aside.
    expect(before - after).toBeLessThan(predicted + 1_024 * mebi);
    expect(timings.counted?.writtenMs).toBeGreaterThan(0);
  });

  it('holds as many of the last layers as planned when not all fit', async () => {
    said = [{ name: 'a card of 1,120 MiB', totalBytes: 1_120 * mebi }];
    await engine.startAnew();
    const plans = plansOf('part');
    const granted = await plans.grant(modelPath(model), wish);
    expect(granted).toMatchObject({ placement: 'partly-on-host', gpuLayers: 11, grantedTokens: 4096 });
    const { engine: load, error } = await answerWith(plans);
    expect(error).toBeNull();
    expect(load?.backend).toMatch(/^(cuda|vulkan|metal)$/u);
    expect(load?.findings ?? []).toEqual([]);
    const [predicted, observed] = [load?.predictedBytes ?? 0, load?.observedBytes ?? 0];
    expect(Math.abs(predicted - observed)).toBeLessThan(Math.max(observed * 0.02, 300 * mebi));
  });

  it('is not used when it is too small, and that is said', async () => {
    said = [{ name: 'a card of 64 MiB', totalBytes: 64 * mebi }];
    await engine.startAnew();
    const plans = plansOf('small');
    expect(await plans.grant(modelPath(model), wish)).toMatchObject({ placement: 'host', gpuLayers: 0 });
    const { engine: load, error } = await answerWith(plans);
    expect(error).toBeNull();
    expect(load).toMatchObject({ backend: 'cpu', why: expect.stringContaining('no card has room for a part of it') });
    expect(load?.findings).toBeUndefined();
  });
});
