import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModelFileCheck } from '../../../src/main/engines/check-model-file.ts';
import { readGguf } from '../../../src/main/engines/gguf.ts';
import { ggufFile } from '../../fakes/gguf-file.ts';

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

describe('readGguf', () => {
  it('reads what a file says about itself, and how long it must be', async () => {
    const header = await readGguf(await saved(whole));
    expect(header).toEqual({
      ok: true,
      value: {
        version: 3,
        architecture: 'qwen2',
        name: 'Tiny',
        contextTokens: 4096,
        sizeLabel: '1M',
        chatTemplate: '<|im_start|>',
        tensorCount: 2,
        neededBytes: whole.length - 4,
        fileBytes: whole.length,
      },
    });
  });

  it('refuses a file that is cut anywhere', async () => {
    for (const length of [5, 20, 60, 150, whole.length - 100, whole.length - 5]) {
      const header = await readGguf(await saved(whole.subarray(0, length)));
      expect(header).toMatchObject({ ok: false, error: { code: 'bad-input' } });
      expect(header.ok ? '' : header.error.message).toContain('cut short');
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

  it('says that a file is missing, and a folder is no file', async () => {
    expect(await readGguf(join(dir, 'none.gguf'))).toMatchObject({ ok: false, error: { code: 'not-found' } });
    expect(await readGguf(dir)).toMatchObject({ ok: false });
  });
});

describe('createModelFileCheck', () => {
  it('names what is wrong in the words of a provider, and looks again when the file changed', async () => {
    const check = createModelFileCheck();
    const path = await saved(whole);
    expect(await check(path)).toBeNull();
    await writeFile(path, whole.subarray(0, 200));
    expect(await check(path)).toMatchObject({ code: 'bad-model' });
    await rm(path);
    expect(await check(path)).toMatchObject({ code: 'missing-model' });
  });
});
