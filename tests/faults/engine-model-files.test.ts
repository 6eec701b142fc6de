import { mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { ggufFile } from '../fakes/gguf-file.ts';
import { collect, createTestProvider, modelPath, modelRequest, scratchDir, startEngine } from '../engines/support.ts';
import type { Answer } from '../engines/support.ts';

let engine: LlamaEngine;
let provider: Provider;
let dir: string;

beforeAll(async () => {
  dir = await scratchDir();
  engine = await startEngine();
  provider = await createTestProvider(engine, { cacheDir: dir });
});
afterAll(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

const ask = (model: string): Promise<Answer> =>
  collect(provider.stream(modelRequest(model, 'Hi', { maxOutputTokens: 4 }), new AbortController().signal));

async function saved(name: string, bytes: Buffer | string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, bytes);
  return path;
}

/** The first bytes of a real model file. */
async function beginningOf(name: string, bytes: number): Promise<Buffer> {
  const file = await open(modelPath(name), 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    await file.read(buffer, 0, bytes, 0);
    return buffer;
  } finally {
    await file.close();
  }
}

describe('a model file', () => {
  it('that is missing is named, with the command that brings it', async () => {
    const { ended } = await ask('no-such-model');
    expect(ended.error).toMatchObject({ code: 'missing-model', retryable: false });
    expect(ended.error?.message).toContain('models pull llama-cpp/no-such-model');
    expect((await ask(join(dir, 'none.gguf'))).ended.error?.code).toBe('missing-model');
  });

  it('that is cut short is refused, in its header or in its weights', async () => {
    for (const bytes of [100, 1_000_000, 60_000_000]) {
      const { ended } = await ask(await saved('cut.gguf', await beginningOf('smollm2-135m-instruct', bytes)));
      expect(ended.error?.code).toBe('bad-model');
      expect(ended.error?.message).toContain('cut off');
    }
  });

  it('that is no model file is refused', async () => {
    expect((await ask(await saved('page.gguf', '<html>404</html>'))).ended.error).toMatchObject({ code: 'bad-model' });
    await mkdir(join(dir, 'folder.gguf'));
    expect((await ask(join(dir, 'folder.gguf'))).ended.error).toMatchObject({ code: 'bad-model' });
  });

  it('of an unknown architecture is refused by name', async () => {
    const path = await saved(
      'new.gguf',
      ggufFile({ keys: [['general.architecture', 'hypothetical']], tensors: [{ name: 'a', values: 32 }] }),
    );
    const { ended } = await ask(path);
    expect(ended.error?.code).toBe('bad-model');
    expect(ended.error?.message).toContain('hypothetical');
  });

  it('that has no weights is refused', async () => {
    const path = await saved('hollow.gguf', ggufFile({ keys: [['general.architecture', 'llama']] }));
    expect((await ask(path)).ended.error).toMatchObject({ code: 'bad-model', retryable: false });
  });

  it('with any name works by its path, even after all the bad ones', async () => {
    const path = join(dir, 'Модель 模型 "x" y.gguf');
    await symlink(modelPath('smollm2-135m-instruct'), path);
    expect((await ask(path)).ended.error).toBeNull();
  });
});
