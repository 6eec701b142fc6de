import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CardBed, CardFile } from '../../bench/lib/card/card-bed.ts';
import { createEngineBed } from '../../bench/lib/card/engine-bed.ts';
import type { ModelShape } from '../../bench/lib/card/shaped-model.ts';
import { bytesOfShape, writeShapedModel } from '../../bench/lib/card/shaped-model.ts';
import { enginesDir } from '../../src/main/models/engine/engine-variants.ts';
import { testPrograms } from '../fakes/test-programs.ts';
import { builtWorker, cacheDir, modelPath, nodePath, scratchDir } from './support.ts';

/** Catches: generated models that the engine does not load, and a test bed that fails on the first real card. */
let bed: CardBed;
let dir: string;
beforeAll(async () => {
  dir = await scratchDir();
  const places = { folder: dir, workerPath: await builtWorker(), nodePath, enginesDir: enginesDir(cacheDir()) };
  bed = createEngineBed({ ...places, programs: testPrograms(), gpu: 'off' });
});
afterAll(async () => {
  await bed.release();
  await rm(dir, { recursive: true, force: true });
});

const small = {
  layers: 2,
  width: 128,
  feedForward: 256,
  heads: 2,
  kvHeads: 1,
  headWidth: 64,
  trainedTokens: 4_096,
} as const;
const shapes: readonly ModelShape[] = [
  { ...small, name: 'as 7B', architecture: 'qwen2' },
  { ...small, name: 'as 27B', architecture: 'qwen3' },
  { ...small, name: 'as 35B-A3B', architecture: 'qwen3moe', experts: { count: 8, used: 2 } },
];

it.each(shapes)('a made model is loaded, answers, and has the predicted size: $name', async (shape) => {
  const path = join(dir, `${shape.name}.gguf`);
  const tokenizerOf = modelPath('qwen2.5-coder-0.5b-instruct');
  const { all, active } = await writeShapedModel(shape, { path, tokenizerOf, signal: AbortSignal.timeout(60_000) });
  expect(all).toBe(bytesOfShape(shape, 151_936).all);
  const file: CardFile = { name: shape.name, path, bytes: all, activeBytes: active, trainedTokens: 4_096 };
  const planned = await bed.plan(file, { contextTokens: 1_024 });
  expect(planned).toMatchObject({ placement: 'host', contextTokens: 1_024 });
  expect(planned.predictedBytes ?? 0).toBeGreaterThan(all * 0.9);
  const answer = await bed.answer(file, { contextTokens: 1_024 }, { promptTokens: 64, outputTokens: 16 });
  expect(answer).toMatchObject({ error: null, backend: 'cpu' });
  expect(answer.writtenPerSecond).toBeGreaterThan(0);
});

it('the bench of cards reports an aborted call and a killed engine, and the next call works', async () => {
  const name = 'smollm2-135m-instruct';
  const file: CardFile = { name, path: modelPath(name), bytes: 98_362_432, activeBytes: null, trainedTokens: 2_048 };
  const ask = { promptTokens: 64, outputTokens: 400 };
  const aborted = await bed.answer(file, { contextTokens: 1_024 }, { ...ask, end: 'abort' });
  expect(aborted.endedAfterMs).not.toBeNull();
  const killed = await bed.answer(file, { contextTokens: 1_024 }, { ...ask, end: 'kill' });
  expect(killed.error?.code).toBe('engine-lost');
  expect(killed.endedAfterMs).not.toBeNull();
  expect(await bed.answer(file, { contextTokens: 1_024 }, { ...ask, outputTokens: 8 })).toMatchObject({ error: null });
});
