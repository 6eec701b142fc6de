import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGrantContext } from '../../../../src/main/models/memory/grant-context.ts';
import type { ContextWish } from '../../../../src/main/models/memory/grant-context.ts';
import type { HeldModel } from '../../../../src/main/models/engine/local-engines.ts';
import { readGguf } from '../../../../src/main/models/memory/gguf/read-gguf.ts';
import { createLoadSteps } from '../../../../src/main/models/memory/load-steps.ts';
import type { Hardware } from '../../../../src/main/models/machine/hardware.ts';
import { ggufFile } from '../../../fakes/gguf-file.ts';
import type { GgufParts } from '../../../fakes/gguf-file.ts';

const gib = 1024 ** 3;

let dir: string;
let path: string;
let pid: number | null;
let freeBytes: number;
let cardBytes: number | null;
let looks: number;
let held: readonly HeldModel[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-grant-'));
  path = join(dir, 'model.gguf');
  pid = null;
  freeBytes = 16 * gib;
  cardBytes = null;
  looks = 0;
  held = [];
  await writeFile(path, model('llama', 131072));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** The shape of an 8B model: each token takes 128 KiB of cache. */
function model(architecture: string, trained: number, tensors: GgufParts['tensors'] = []): Buffer {
  return ggufFile({
    keys: [
      ['general.architecture', architecture],
      [`${architecture}.block_count`, 32],
      [`${architecture}.context_length`, trained],
      [`${architecture}.embedding_length`, 4096],
      [`${architecture}.feed_forward_length`, 14336],
      [`${architecture}.attention.head_count`, 32],
      [`${architecture}.attention.head_count_kv`, 8],
      [`${architecture}.vocab_size`, 128256],
    ],
    tensors: [{ name: 'token_embd.weight', values: 64 }, ...tensors],
  });
}

function hardware(): Promise<Hardware> {
  looks += 1;
  const card = {
    name: 'card',
    totalBytes: cardBytes ?? 0,
    freeBytes: cardBytes ?? 0,
    driverBytes: 0,
    isUnified: false,
    source: 'nvidia-smi',
    confidence: 'high',
    note: null,
  } as const;
  return Promise.resolve({
    devices: cardBytes === null ? [] : [card],
    host: { totalBytes: 32 * gib, freeBytes, source: 'test' },
  });
}

const gone = { isProcessGone: true };
const wish: ContextWish = { askedTokens: null, sequences: 3, gpu: 'auto' };
const open = () =>
  createGrantContext({
    readHeader: readGguf,
    readHardware: hardware,
    enginePid: () => pid,
    loadedPath: () => (pid === null ? null : path),
    others: async () => held,
    steps: createLoadSteps(join(dir, 'smaller-loads.json')),
    now: () => Date.UTC(2026, 10, 21),
  });
const grants = () => open().grant;

describe('the context that a model is granted', () => {
  it('is the useful length of a processor for three conversations, if there is room', async () => {
    expect(await grants()(path, wish)).toMatchObject({
      askedTokens: 8192,
      grantedTokens: 8192,
      sequences: 3,
      expectsCard: false,
      why: null,
    });
  });

  it('is longer on a card, and reported as one on a card', async () => {
    cardBytes = 80 * gib;
    expect(await grants()(path, wish)).toMatchObject({
      askedTokens: 65536,
      grantedTokens: 65536,
      sequences: 3,
      expectsCard: true,
      // Every layer and the output.
      gpuLayers: 33,
    });
    expect(await grants()(path, { ...wish, gpu: 'off' })).toMatchObject({ askedTokens: 8192, expectsCard: false });
  });

  it('falls back to the processor when no card has room, and says so', async () => {
    cardBytes = gib / 16;
    expect(await grants()(path, { ...wish, askedTokens: 4096 })).toMatchObject({
      placement: 'host',
      gpuLayers: 0,
      expectsCard: false,
      why: 'no card has room for a part of it, so it runs on the processor',
    });
  });

  it('gives up other conversations before length, and says what was granted and why', async () => {
    freeBytes = 2.6 * gib;
    expect(await grants()(path, wish)).toMatchObject({ grantedTokens: 8192, sequences: 1, why: null });
    freeBytes = 2 * gib;
    const less = await grants()(path, wish);
    expect(less.grantedTokens).toBeLessThan(8192);
    expect(less).toMatchObject({
      askedTokens: 8192,
      sequences: 1,
      why: expect.stringContaining('Asked 8192, granted'),
    });
  });

  it('uses smaller cells only if they add a step of length, after other conversations', async () => {
    cardBytes = 3 * gib;
    expect(await grants()(path, { ...wish, askedTokens: 8192 })).toMatchObject({ cacheType: 'f16', sequences: 1 });
    const longer = await grants()(path, wish);
    expect(longer).toMatchObject({ cacheType: 'q8_0', sequences: 1, gpuLayers: 33 });
    // More tokens than the card holds with 16-bit cells. The predicted bytes are those of the smaller cells.
    expect(longer.grantedTokens * 128 * 1024).toBeGreaterThan(3 * gib);
    expect(longer.predictedBytes).toBeLessThan(3 * gib);
  });

  it('never exceeds the trained length', async () => {
    await writeFile(path, model('llama', 2048));
    expect(await grants()(path, { ...wish, askedTokens: 9000 })).toMatchObject({
      askedTokens: 9000,
      grantedTokens: 2048,
      why: 'it was trained for 2048 tokens',
    });
  });

  it('stays the same while its model is loaded, and is new for a new process', async () => {
    const grant = grants();
    const first = await grant(path, wish);
    pid = 7;
    freeBytes = 1 * gib;
    expect(await grant(path, wish)).toEqual(first);
    expect(looks).toBe(1);
    pid = 8;
    expect((await grant(path, wish)).grantedTokens).toBeLessThan(8192);
    expect(looks).toBe(2);
  });

  it('counts the memory that the previous model gives back', async () => {
    const grant = grants();
    await grant(path, wish);
    pid = 7;
    await grant(path, wish);
    const other = join(dir, 'other.gguf');
    await writeFile(other, model('llama', 8192));
    freeBytes = 1 * gib;
    expect(await grant(other, wish)).toMatchObject({ grantedTokens: 8192 });
  });

  it('counts weights copied for the processor as memory given back', async () => {
    const tensors = [{ name: 'blk.0.ffn_up.weight', values: 2 ** 20, rows: 1024, type: 2 }];
    await writeFile(path, model('llama', 131072, tensors));
    const plain = join(dir, 'plain.gguf');
    await writeFile(plain, model('llama', 131072));
    const alone = { ...wish, sequences: 1 };
    const copies = (await grants()(path, alone)).ownBytes - (await grants()(plain, alone)).ownBytes;
    expect(copies).toBe((2 ** 20 / 32) * 18);
    cardBytes = 80 * gib;
    expect((await grants()(path, alone)).ownBytes).toBe((await grants()(plain, alone)).ownBytes);
  });

  it('is left to the engine for an unknown architecture or an invalid file', async () => {
    await writeFile(path, model('novel', 4096));
    expect(await grants()(path, wish)).toMatchObject({ grantedTokens: 4096, predictedBytes: null });
    await writeFile(path, 'no model');
    expect(await grants()(path, wish)).toMatchObject({ grantedTokens: 8192, predictedBytes: null });
  });

  it('is one step less after an engine ran out of memory with it, also after a restart', async () => {
    const { grant, stepDown } = open();
    expect(await stepDown(path, wish, gone)).toMatchObject({ grantedTokens: 8192, sequences: 1, isSmaller: true });
    expect(await stepDown(path, wish, gone)).toBeNull();
    const after = await open().grant(path, wish);
    expect(after).toEqual(await grant(path, wish));
    expect(after).toMatchObject({
      sequences: 1,
      why: 'its engine ran out of memory with 8192 tokens for each of 3 conversations on 2026-11-21',
    });
    expect(await grant(path, { ...wish, askedTokens: 6000 })).toMatchObject({ grantedTokens: 6000, sequences: 3 });
    cardBytes = 80 * gib;
    expect(await open().grant(path, wish)).toMatchObject({ sequences: 3, isSmaller: false, why: null });
  });

  it('gives up length for a single conversation, down to the minimum', async () => {
    const { stepDown } = open();
    const alone = { ...wish, sequences: 1 };
    expect(await stepDown(path, { ...alone, askedTokens: 10_000 }, gone)).toMatchObject({ grantedTokens: 4864 });
    expect(await stepDown(path, { ...alone, askedTokens: 5_000 }, gone)).toMatchObject({ grantedTokens: 4096 });
    expect(await stepDown(path, { ...alone, askedTokens: 4_096 }, gone)).toBeNull();
  });

  it('leaves the layers to the engine when the card has no room for them, and says so later', async () => {
    cardBytes = 80 * gib;
    const { grant, stepDown } = open();
    expect(await grant(path, wish)).toMatchObject({ gpuLayers: 33, grantedTokens: 65536, sequences: 3 });
    expect(await stepDown(path, wish, {})).toMatchObject({
      gpuLayers: null,
      grantedTokens: 65536,
      sequences: 3,
      expectsCard: true,
      isSmaller: true,
      why: 'its engine ran out of memory with 65536 tokens for each of 3 conversations, with 33 layers on the card on 2026-11-21; since then as many layers are on the card as it finds room for',
    });
    expect(await stepDown(path, wish, {})).toBeNull();
    expect(await open().grant(path, wish)).toMatchObject({ gpuLayers: null });
  });

  it('puts no more layers on the card after a crash there', async () => {
    // Less than the smallest context takes.
    cardBytes = 0.9 * gib;
    const { grant, stepDown } = open();
    const { gpuLayers } = await grant(path, wish);
    const half = { ...wish, askedTokens: 32768, sequences: 1 };
    expect((await grant(path, half)).gpuLayers).toBeGreaterThan(gpuLayers ?? 33);
    expect(await stepDown(path, wish, gone)).toMatchObject({ grantedTokens: 32768, sequences: 1, gpuLayers });
  });

  it('gives up length at once when the engine survived the failure', async () => {
    expect(await open().stepDown(path, wish, {})).toMatchObject({ grantedTokens: 4096, sequences: 1, isSmaller: true });
  });
});
