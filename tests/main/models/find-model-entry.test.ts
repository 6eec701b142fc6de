import { describe, expect, it } from 'vitest';
import { settingsSchema } from '@shared/settings/settings.ts';
import { createModelEntryFinder } from '../../../src/main/models/find-model-entry.ts';
import type { ModelSource } from '../../../src/main/models/providers/define.ts';
import { loopModel } from '../../fakes/agent-kit.ts';

const never = new AbortController().signal;
const info = (name: string) => ({ ...loopModel, id: `office/${name}`, provider: 'office', name });

const finderOf = (provider: Partial<ModelSource>) =>
  createModelEntryFinder({
    get: (id) =>
      id === 'office'
        ? {
            id,
            list: async () => [info('listed')],
            resolve: async (name) => (name === 'listed' ? info(name) : null),
            countTokens: async () => null,
            dispose: async () => undefined,
            stream: () => {
              throw new Error('nobody calls it here');
            },
            ...provider,
          }
        : null,
    mention: () => undefined,
    settings: () => settingsSchema.parse({}),
    fileEntry: async () => null,
    completed: async (model) => model,
    isBuiltIn: () => false,
  });

describe('a model that is named', () => {
  it('is found if its provider lists it or resolves its name', async () => {
    const finder = finderOf({ resolve: async (name) => (name === 'none' ? null : info(name)) });
    const found = ['listed', 'dated-2026', 'none'].map((name) => finder.find(`office/${name}`, never));
    expect((await Promise.all(found)).map((entry) => entry?.id)).toEqual([
      'office/listed',
      'office/dated-2026',
      undefined,
    ]);
    expect(await finder.find('elsewhere/listed', never)).toBeNull();
  });

  it('is reported as unreachable, not as missing, when its service cannot be asked', async () => {
    const refused = async (): Promise<never> => {
      throw new Error('The connection was refused.');
    };
    const silent = finderOf({
      list: refused,
      resolve: refused,
    });
    await expect(silent.find('office/listed', never)).rejects.toMatchObject({
      code: 'network',
      message: 'office could not be asked: The connection was refused.',
    });
    expect(await silent.ofProvider('office', never)).toMatchObject([{ id: 'office/*', state: 'unreachable' }]);
  });
});
