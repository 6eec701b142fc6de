import { expect, it } from 'vitest';
import { AppError } from '../../../../src/shared/errors.ts';
import { usualModels } from '../../../../src/renderer/lib/models/usual-models.ts';
import { createFakeHandlers } from '../../../fakes/fake-handlers.ts';

// Bug: while the path of a project was half typed, the model was called "Default" and its list did not open.
it('the default models for a folder that cannot be used are the general ones', async () => {
  const general = new Map([
    ['policy', 'hybrid'],
    ['local', 'llama-cpp/small'],
    ['cloud', 'sky/large'],
  ]);
  const { client } = createFakeHandlers({
    settings: { get: ({ input }) => Promise.resolve(general.get(String(input.key)) ?? null) },
    projects: { settings: () => Promise.reject(new AppError('refused', 'The folder is not served here.')) },
  });
  expect(await usualModels(client, 'code/ap')).toEqual({
    policy: 'hybrid',
    local: 'llama-cpp/small',
    cloud: 'sky/large',
  });
});
