import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModelFileCheck } from '../../../../../src/main/models/memory/gguf/check-model-file.ts';
import { createHeaderReader } from '../../../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { readGguf } from '../../../../../src/main/models/memory/gguf/read-gguf.ts';
import { ggufFile } from '../../../../fakes/gguf-file.ts';
import { splitGguf, splitNames } from '../../../../fakes/split-gguf.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-gguf-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function saved(bytes: Buffer | string): Promise<string> {
  const path = join(dir, 'model.gguf');
  await writeFile(path, bytes);
  return path;
}

const whole = ggufFile({
  keys: [
    ['general.architecture', 'qwen2'],
    ['general.name', 'Tiny'],
    ['general.size_label', '1M'],
    ['qwen2.context_length', 4096],
    ['tokenizer.chat_template', '<|im_start|>'],
  ],
  tensors: [
    { name: 'a', values: 100 },
    { name: 'b', values: 7 },
  ],
});

describe('the reader of GGUF files', () => {
  it('reads the metadata of a file, and its expected length', async () => {
    const header = await readGguf(await saved(whole));
    expect(header).toEqual({
      ok: true,
      value: {
        version: 3,
        architecture: 'qwen2',
        name: 'Tiny',
        contextTokens: 4096,
        sizeLabel: '1M',
        license: null,
        chatTemplate: '<|im_start|>',
        use: null,
        tensorCount: 2,
        neededBytes: whole.length - 4,
        fileBytes: whole.length,
        files: [join(dir, 'model.gguf')],
        facts: {
          keys: {
            'general.architecture': 'qwen2',
            'general.name': 'Tiny',
            'general.size_label': '1M',
            'qwen2.context_length': 4096,
            'tokenizer.chat_template': '<|im_start|>',
          },
          vocabulary: null,
          weights: { totalBytes: 428, inputBytes: 0, isTied: true, layers: null },
        },
      },
    });
  });

  it('counts the weights that a processor needs in another layout', async () => {
    const tensors = [
      { name: 'blk.0.ffn_up.weight', values: 512, rows: 16, type: 2 },
      { name: 'blk.0.ffn_down.weight', values: 384, rows: 12, type: 2 },
      { name: 'blk.0.attn_v.weight', values: 512, rows: 16, type: 0 },
      { name: 'token_embd.weight', values: 512, rows: 16, type: 2 },
    ];
    const header = await readGguf(await saved(ggufFile({ tensors })));
    expect(header.ok ? header.value.facts.weights?.copiedBytes : null).toBe(288);
  });

  it('refuses a file that is cut at any place', async () => {
    for (const length of [5, 20, 60, 150, whole.length - 100, whole.length - 5]) {
      const header = await readGguf(await saved(whole.subarray(0, length)));
      expect(header).toMatchObject({ ok: false, error: { code: 'bad-input' } });
      expect(header.ok ? '' : header.error.message).toContain('cut off');
    }
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a text', Buffer.from('<html>not found</html>')],
    ['another version', ggufFile({ version: 9 })],
    ['a file without a kind', ggufFile({ keys: [] })],
    ['a damaged header', Buffer.concat([whole.subarray(0, 24), Buffer.alloc(400, 0xff)])],
  ])('refuses %s', async (_name, bytes) => {
    expect(await readGguf(await saved(bytes))).toMatchObject({ ok: false, error: { code: 'bad-input' } });
  });

  it('reports a missing file, and refuses a folder', async () => {
    expect(await readGguf(join(dir, 'none.gguf'))).toMatchObject({ ok: false, error: { code: 'not-found' } });
    expect(await readGguf(dir)).toMatchObject({ ok: false });
  });
});

describe('a model in several files', () => {
  const names = splitNames('model', 2);
  const parts = splitGguf(whole, 2);
  const save = async (files: readonly (readonly [name: string, bytes: Buffer | undefined])[]): Promise<string> => {
    for (const [name, bytes] of files) if (bytes !== undefined) await writeFile(join(dir, name), bytes);
    return join(dir, files[0]?.[0] ?? '');
  };
  const all = names.map((name, index) => [name, parts[index]] as const);

  it('is read by its first file, with the contents of all', async () => {
    const [single, several] = [await readGguf(await saved(whole)), await readGguf(await save(all))];
    if (!single.ok || !several.ok) throw new Error('A header could not be read.');
    const { keys, ...facts } = several.value.facts;
    expect(several.value).toMatchObject({
      name: 'Tiny',
      tensorCount: 2,
      fileBytes: parts.reduce((sum, part) => sum + part.length, 0),
      files: names.map((name) => join(dir, name)),
    });
    expect({ ...facts, keys }).toMatchObject(single.value.facts);
  });

  it('is refused with the name of a file that is missing, cut, foreign or not the first', async () => {
    const said = async (): Promise<string> => {
      const header = await readGguf(join(dir, names[0] ?? ''));
      return header.ok ? 'fine' : header.error.message;
    };
    await save(all.slice(0, 1));
    expect(await said()).toContain(`No model file was found at ${join(dir, names[1] ?? '')}`);
    await save([[names[1] ?? '', parts[1]?.subarray(0, -10)]]);
    expect(await said()).toContain('00002-of-00002.gguf: the file is cut off');
    await save([[names[1] ?? '', parts[0]]]);
    expect(await said()).toContain('is a file of another model');
    await save(all);
    expect(await said()).toBe('fine');
    const second = await readGguf(join(dir, names[1] ?? ''));
    expect(second.ok ? null : second.error.hint).toContain(names[0]);
    expect(await readGguf(await save([['renamed.gguf', parts[0]]]))).toMatchObject({ ok: false });
  });

  it('is read again when one of its files has changed', async () => {
    const read = createHeaderReader();
    const path = await save(all);
    expect(await read(path)).toMatchObject({ ok: true });
    await rm(join(dir, names[1] ?? ''));
    expect(await read(path)).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });
});

/** A header that announces tensors and keys with no data behind it. */
function claim(tensors: bigint, keys: bigint, ...more: readonly Buffer[]): Buffer {
  const counts = Buffer.alloc(24);
  counts.write('GGUF', 'latin1');
  counts.writeUInt32LE(3, 4);
  counts.writeBigUInt64LE(tensors, 8);
  counts.writeBigUInt64LE(keys, 16);
  return Buffer.concat([counts, ...more, Buffer.alloc(4096)]);
}

const int32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};
const int64 = (value: bigint): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer;
};
const key = (name: string): Buffer => Buffer.concat([int64(BigInt(name.length)), Buffer.from(name)]);

describe('a hostile header', () => {
  it.each([
    ['more keys than any model has', claim(0n, 1n << 40n), /keys/],
    ['more tensors than any model has', claim(1n << 40n, 0n), /tensors/],
    ['a name of 10 GB', claim(0n, 1n, int64(10_000_000_000n)), /a text of/],
    ['a text of 10 GB', claim(0n, 1n, key('a'), int32(8), int64(10_000_000_000n)), /a text of/],
    ['an array of 10 GB', claim(0n, 1n, key('a'), int32(9), int32(4), int64(2_500_000_000n)), /268 MB/],
    ['10 billion texts', claim(0n, 1n, key('a'), int32(9), int32(8), int64(10_000_000_000n)), /an array of/],
    ['arrays in arrays in arrays', claim(0n, 1n, key('a'), ...nested(6)), /arrays within arrays/],
    ['a length beyond all numbers', claim(0n, 1n, int64((1n << 64n) - 1n)), /without end/],
    ['a tensor without end', claim(1n, 0n, key('t'), int32(2), int64(1n << 40n), int64(1n << 40n)), /without end/],
    ['a tensor of many dimensions', claim(1n, 0n, key('t'), int32(4_000_000_000)), /dimensions/],
    ['the other byte order', Buffer.concat([Buffer.from('GGUF'), Buffer.from([0, 0, 0, 3])]), /byte order/],
    ['a newer version', ggufFile({ version: 4 }), /version 4/],
  ])('is refused for %s before much memory is used', async (_name, bytes, message) => {
    const header = await readGguf(await saved(bytes));
    expect(header).toMatchObject({ ok: false, error: { code: 'bad-input' } });
    expect(header.ok ? '' : header.error.message).toMatch(message);
  });

  it('in a file of 10 GB is refused after its first pages', async () => {
    const path = await saved(claim(0n, 1n, key('a'), int32(9), int32(0), int64(10_000_000_000n)));
    await truncate(path, 10_000_001_000);
    expect(await readGguf(path)).toMatchObject({ ok: false, error: { code: 'bad-input' } });
  });

  it('cannot reach the prototype of the result', async () => {
    const header = await readGguf(
      await saved(
        ggufFile({
          keys: [
            ['general.architecture', 'x'],
            ['__proto__', 'y'],
          ],
        }),
      ),
    );
    expect(header.ok && header.value.facts.keys).toEqual({ 'general.architecture': 'x' });
  });
});

function nested(depth: number): readonly Buffer[] {
  return Array.from({ length: depth }, () => [int32(9), int64(1n)])
    .flat()
    .toSpliced(0, 0, int32(9));
}

describe('the check of a model file', () => {
  it('reports the fault like a provider, and looks again when the file changed', async () => {
    const check = createModelFileCheck(createHeaderReader());
    const path = await saved(whole);
    expect(await check(path)).toBeNull();
    await writeFile(path, whole.subarray(0, 200));
    expect(await check(path)).toMatchObject({ code: 'bad-model' });
    await rm(path);
    expect(await check(path)).toMatchObject({ code: 'missing-model' });
  });
});
