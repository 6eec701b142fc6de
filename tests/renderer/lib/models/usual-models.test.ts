import { expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/shared/contract/models-contract.ts';
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
    order: ['llama-cpp/small', 'sky/large'],
  });
});

/** Catches: a message that is shown with a model which the order of the settings leaves out. */
it('the default models follow the order in the settings, unless the project has its own', async () => {
  const general = new Map<string, unknown>([
    ['policy', 'local'],
    ['local', 'llama-cpp/small'],
    ['cloud', 'sky/large'],
    ['modelOrder', ['shed/large', 'sky/cheap', 'gone/model']],
  ]);
  let own: object = {};
  const { client } = createFakeHandlers({
    settings: { get: ({ input }) => Promise.resolve(general.get(String(input.key)) ?? null) },
    projects: { settings: () => Promise.resolve({ ...projectSettings, own }) },
    models: { list: () => Promise.resolve([entry('sky/cheap', 'cloud'), entry('shed/large', 'local')]) },
  });
  expect(await usualModels(client, 'code/app')).toEqual({
    policy: 'local',
    local: 'shed/large',
    cloud: 'sky/cheap',
    order: ['shed/large', 'sky/cheap', 'gone/model'],
  });
  own = { cloud: null };
  expect(await usualModels(client, 'code/app')).toMatchObject({ local: 'llama-cpp/small', order: ['llama-cpp/small'] });
});

const projectSettings = {
  isThere: true,
  usual: { policy: 'local', local: '', cloud: null, image: null },
  variables: {},
  secrets: [],
  folders: [],
  testCommand: null,
  image: null,
} as const;

function entry(id: string, where: 'local' | 'cloud'): ModelEntry {
  return { id, label: id, where, state: 'ready', sizeBytes: null, license: null, info: null, note: null };
}
