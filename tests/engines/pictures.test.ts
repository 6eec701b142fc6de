import { existsSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llamaServerSchema } from '@shared/settings/settings.ts';
import { createOwnLlamaServer } from '../../src/main/models/engine/llama-server/own-llama-server.ts';
import type { OwnLlamaServer } from '../../src/main/models/engine/llama-server/own-llama-server.ts';
import { sightOf } from '../../src/main/models/files/projectors.ts';
import { sightMemory } from '../../src/main/models/memory/estimate/projector-memory.ts';
import type { ProjectorFacts } from '../../src/main/models/memory/estimate/projector-memory.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import { createLlamaServerProvider } from '../../src/main/models/providers/llama-server/create-llama-server-provider.ts';
import { pngFile } from '../fakes/png-file.ts';
import { projectorFile } from '../fakes/projector-file.ts';
import type { ProjectorParts } from '../fakes/projector-file.ts';
import { providerDependencies } from '../fakes/provider-kit.ts';
import { testPrograms } from '../fakes/test-programs.ts';
import { collect, modelPath, modelRequest, scratchDir } from './support.ts';

const program = process.env.DEWPOINT_TEST_LLAMA_SERVER;
const small = 'smollm2-135m-instruct';
const never = new AbortController().signal;
const readHeader = createHeaderReader();

let dir: string;
let own: OwnLlamaServer;
beforeAll(async () => {
  dir = await scratchDir();
  await symlink(modelPath(small), join(dir, `${small}.gguf`));
});
afterEach(async () => {
  await own.dispose();
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const noProjectors = { list: async () => new Map<string, string>() };

/** The real model beside a projector with random weights, in a real server. */
async function open(parts: ProjectorParts | Buffer, settings: object = {}): Promise<Provider> {
  const file = Buffer.isBuffer(parts) ? parts : projectorFile(parts);
  await writeFile(join(dir, `mmproj-${small}.gguf`), file);
  own = createOwnLlamaServer({
    nodePath: process.execPath,
    guardPath: resolve('src/main/models/engine/server-guard.ts'),
    programs: testPrograms(),
    env: process.env,
    platform: process.platform,
  });
  const path = join(dir, `${small}.gguf`);
  return createLlamaServerProvider(
    providerDependencies({
      ownLlamaServer: own,
      readHeader,
      freeHostBytes: async () => 16 * 2 ** 30,
      localModels: async () => [small],
      modelFile: async (name) => {
        const sight = await sightOf({ name, path }, { readHeader, projectors: noProjectors });
        return { path, contextTokens: null, parametersB: 0.1, label: name, ...(sight === null ? {} : { sight }) };
      },
    }),
    {
      id: 'llama-server',
      settings: llamaServerSchema.parse({
        kind: 'llama-server',
        program,
        contextTokens: 4096,
        threads: 1,
        ...settings,
      }),
    },
  );
}

function asked(sizes: readonly (readonly [number, number])[]): ModelRequest {
  const pictures = sizes.map(([width, height], index) => ({
    type: 'image' as const,
    mediaType: 'image/png' as const,
    data: pngFile(width, height).toString('base64'),
    name: `${index}.png`,
    width,
    height,
  }));
  const request = modelRequest(small, 'What is this?', { maxOutputTokens: 4 });
  const [first, ...rest] = request.messages.toReversed();
  if (first === undefined) throw new Error('no message');
  return { ...request, messages: [...rest.toReversed(), { ...first, parts: [...first.parts, ...pictures] }] };
}

async function factsOf(): Promise<ProjectorFacts> {
  const sight = await sightOf(
    { name: small, path: join(dir, `${small}.gguf`) },
    { readHeader, projectors: noProjectors },
  );
  if (sight === null || !('projector' in sight)) throw new Error('no projector');
  return sight.projector.facts;
}

const read = async (provider: Provider, request: ModelRequest) => {
  const { ended } = await collect(provider.stream(request, never));
  return { error: ended.error, engine: ended.engine, input: ended.usage.freshInput + ended.usage.cacheRead };
};

/** The size to which a picture is scaled, in tokens (`calc_size_preserved_ratio` of `tools/mtmd/mtmd-image.cpp`). */
function pictureTokens(
  facts: ProjectorFacts,
  { width, height }: { readonly width: number; readonly height: number },
  most: number,
): number {
  if (facts.size?.type !== 'by-pixels') return most;
  const step = facts.patch * facts.merge;
  const limits = { least: facts.size.least * step ** 2, most: most * step ** 2 };
  const sides = [width, height].map((side) => Math.max(step, Math.round(side / step) * step));
  const area = sides.reduce((product, side) => product * side, 1);
  const scaled = (by: number, round: (value: number) => number): number =>
    [width, height].reduce((product, side) => product * Math.max(1, round((side * by) / step)), 1);
  if (area > limits.most) return scaled(Math.sqrt(limits.most / (width * height)), Math.floor);
  if (area < limits.least) return scaled(Math.sqrt(limits.least / (width * height)), Math.ceil);
  return area / step ** 2;
}

describe.runIf(program !== undefined && existsSync(modelPath(small)))('pictures in a llama-server', () => {
  it('are counted as planned, however large they are', async () => {
    const provider = await open({ kind: 'qwen3vl_merger' });
    const facts = await factsOf();
    const info = await provider.resolve(small, never);
    expect(info).toMatchObject({ capabilities: { images: true }, imageTokens: 1024 });
    const bare = await provider.countTokens(asked([]), never);
    const frame = ((await provider.countTokens(asked([[128, 128]]), never)) ?? 0) - (bare ?? 0) - 16;
    for (const [width, height] of [
      [32, 32],
      [300, 200],
      [1200, 800],
      [640, 2400],
      [3000, 10],
    ] as const) {
      const counted = await provider.countTokens(asked([[width, height]]), never);
      expect([width, height, (counted ?? 0) - (bare ?? 0) - frame]).toEqual([
        width,
        height,
        pictureTokens(facts, { width, height }, 1024),
      ]);
    }
  });

  it.each([
    { kind: 'qwen3vl_merger', width: 256, feedForward: 256, imageSize: 256, layers: 1 },
    { kind: 'gemma3', width: 256, feedForward: 256, imageSize: 512, layers: 2 },
  ] as const)('take the memory that was planned for them: $kind', async (parts) => {
    // The shorter the context, the smaller the largest picture.
    const blind = await open({ ...parts, modelWidth: 512 }, { contextTokens: 1024 });
    expect(await blind.resolve(small, never)).toMatchObject({
      note: expect.stringContaining('belongs to another model'),
    });
    const without = await read(blind, asked([]));
    await own.dispose();
    const provider = await open(parts, { contextTokens: 1024 });
    const facts = await factsOf();
    // As many pixels as the largest picture has.
    const { error, engine } = await read(provider, asked([[512, 1024]]));
    expect(error).toBeNull();
    const { weightsBytes, computeBytes } = sightMemory(facts, 512);
    const taken = (engine?.observedBytes ?? 0) - (without.engine?.observedBytes ?? 0);
    // The server rounds each of the two sizes to a hundredth of a MiB.
    expect(Math.abs(taken - weightsBytes - computeBytes)).toBeLessThan(0.011 * 2 ** 20);
    const planned = (engine?.predictedBytes ?? 0) - (without.engine?.predictedBytes ?? 0);
    expect(planned).toBe(weightsBytes + computeBytes);
  });

  it('go along twenty at once, and the model can be asked again', async () => {
    const provider = await open({}, { contextTokens: 8192 });
    const twenty = await read(provider, asked(Array.from({ length: 20 }, () => [128, 128] as const)));
    expect(twenty).toMatchObject({ error: null });
    expect(twenty.input).toBeGreaterThan(20 * 16);
    expect(await read(provider, asked([]))).toMatchObject({ error: null });
  });

  it('that are damaged or far too large end one call, not the server', async () => {
    const provider = await open({});
    const bomb = asked([[8, 8]]);
    const data = pngFile(8, 8, [60_000, 60_000]).toString('base64');
    const messages = bomb.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.type === 'image' ? { ...part, data } : part)),
    }));
    const refused = await read(provider, { ...bomb, messages });
    expect(refused.error).not.toBeNull();
    expect(refused.error?.message).not.toBe('');
    expect(await read(provider, asked([[64, 64]]))).toMatchObject({ error: null });
  });

  it('can be stopped while they are read', async () => {
    const provider = await open({ width: 512, layers: 12, feedForward: 2048, heads: 8 });
    const stop = new AbortController();
    const parts: string[] = [];
    for await (const part of provider.stream(asked([[1024, 1024]]), stop.signal)) {
      parts.push(part.type === 'ended' ? part.stopReason : part.type);
      if (part.type === 'progress' && part.phase === 'prefill') stop.abort();
    }
    expect(parts.at(-1)).toBe('cancelled');
  });

  it('are not read through a damaged projector, and the model answers without', async () => {
    const provider = await open(projectorFile().subarray(0, 200_000));
    const info = await provider.resolve(small, never);
    expect(info?.capabilities.images).toBeUndefined();
    expect(info?.note).toContain(`The projector mmproj-${small}.gguf cannot be used`);
    expect(await read(provider, asked([[64, 64]]))).toMatchObject({ error: null });
  });
});
