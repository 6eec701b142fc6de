import { expect, it } from 'vitest';
import { createCurrentWriter } from '../../../../src/main/tools/own/current-writer.ts';

const writer = { model: 'ollama/coder', digest: 'a', app: '1.0.0' };

it('the current writer of a program has the present digest, and asks no cloud service', async () => {
  const asked: string[] = [];
  const today = createCurrentWriter({
    app: '2.0.0',
    find: async (id) => {
      asked.push(id);
      return { digest: 'b' };
    },
  });
  expect(await today(writer)).toEqual({ model: 'ollama/coder', digest: 'b', app: '2.0.0' });
  expect(await today({ ...writer, model: 'anthropic/large', digest: null })).toEqual({
    model: 'anthropic/large',
    digest: null,
    app: '2.0.0',
  });
  expect(await today(null)).toEqual({ model: null, digest: null, app: '2.0.0' });
  expect(asked).toEqual(['ollama/coder']);
});

it('the current writer has no digest when the model is gone or cannot be asked', async () => {
  const unknown = { model: 'ollama/coder', digest: null, app: '2.0.0' };
  expect(await createCurrentWriter({ app: '2.0.0', find: async () => null })(writer)).toEqual(unknown);
  const failing = createCurrentWriter({ app: '2.0.0', find: () => Promise.reject(new Error('no')) });
  expect(await failing(writer)).toEqual(unknown);
});
