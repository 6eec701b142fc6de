import { describe, expect, it } from 'vitest';
import { createCallableFiles } from '../../../../../src/main/models/files/callable-files.ts';
import { wishOf } from '../../../../../src/main/models/providers/llama-cpp/llama-cpp-model.ts';
import { settingsSchema } from '../../../../../src/shared/settings/settings.ts';

describe('the context of a model file', () => {
  it('comes before that of its provider, and is none where nobody set one', () => {
    const provider = { gpu: 'auto', contextTokens: 4_096 } as const;
    expect(wishOf(provider, { askedTokens: 16_384 }).askedTokens).toBe(16_384);
    expect(wishOf(provider, {}).askedTokens).toBe(4_096);
    expect(wishOf({ gpu: 'auto' }, {}).askedTokens).toBeNull();
  });

  it('goes along with the file of its name', async () => {
    const model = {
      name: 'small',
      label: 'Small',
      isInstalled: true,
      isStarter: false,
      path: '/models/small.gguf',
      origin: 'folder',
      place: '/models/small.gguf',
      files: ['/models/small.gguf'],
      hereBytes: 1,
      bytes: 1,
      contextTokens: 32_768,
      parametersB: 1,
      strategies: [],
      efforts: [],
      license: null,
      sha256: null,
    } as const;
    const files = createCallableFiles({
      store: { find: async () => model, list: async () => [model] },
      effortOf: async () => null,
      draftersOf: async () => undefined,
      askedTokensOf: (name) => (name === 'small' ? 8_192 : undefined),
    });
    expect(await files.modelFile('small')).toMatchObject({ askedTokens: 8_192 });
  });

  it('is a whole number of at least 1,024 tokens', () => {
    const read = (contextTokens: number): boolean =>
      settingsSchema.safeParse({ models: { 'llama-cpp/small': { contextTokens } } }).success;
    expect([16_384, 1_023, 2_048.5, -1].map(read)).toEqual([true, false, false, false]);
  });
});
