import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkSetup } from '../../../src/main/home/check-setup.ts';
import { hintAction } from '../../../src/renderer/lib/input/hint-action.ts';
import type { Finding } from '../../../src/shared/contract/home-contract.ts';
import type { ModelInfo } from '../../../src/shared/models/model-info.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';
import type { Settings } from '../../../src/shared/settings/settings.ts';

async function check(home: string, settings: Settings, files: readonly ModelInfo[] = []): Promise<readonly Finding[]> {
  return checkSetup(
    {
      version: '0.0.0-test',
      home,
      cache: home,
      settings,
      env: {},
      listKeys: async () => ({ keys: [], store: { type: 'ready', name: 'test' } }),
      listRules: async () => [],
      listFolders: async () => [],
      listToolServers: async () => [],
      listOwnTools: async () => [],
      searchModelProblem: async (model) => (model === 'auto' ? 'auto is wrong here.' : null),
      models: {
        servers: async () => [],
        provider: () => ({ list: async () => files }),
        show: async (id) => ({
          id,
          label: id,
          where: 'local',
          sizeBytes: null,
          license: null,
          info: null,
          note: null,
          state: id === 'here/gone' ? 'downloadable' : 'ready',
        }),
      },
    },
    new AbortController().signal,
  );
}

// Bug: a model of the order was never looked at, and one that no task uses was called missing.
it.each([
  [undefined, ['local here/gone is not on this machine', 'cloud sky/one is ready']],
  [
    ['here/one', 'sky/one'],
    ['model here/one is ready', 'model sky/one is ready'],
  ],
])('the check of a home looks at the models that may work: %j', async (modelOrder, expected) => {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-check-'));
  const settings = settingsSchema.parse({ local: 'here/gone', cloud: 'sky/one', ...(modelOrder && { modelOrder }) });
  const findings = await check(home, settings);
  await rm(home, { recursive: true });
  const ofModels = findings.filter(({ area }) => ['local', 'cloud', 'model'].includes(area));
  expect(ofModels.map(({ area, text }) => `${area} ${text}`)).toEqual(expected);
  // Bug: a model for a search that cannot work was named only by the search.
  expect(findings).toContainEqual({
    area: 'search',
    status: 'warning',
    text: 'auto is wrong here.',
    hint: 'dewpoint settings set searchModel auto',
  });
});

// Bug: a projector lay unused, and nothing but a message with an image said so.
it('the check of a home names models that would see images, until a llama-server is set up', async () => {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-check-'));
  const eye: ModelInfo = {
    id: 'llama-cpp/eye',
    provider: 'llama-cpp',
    name: 'eye',
    label: 'eye',
    where: 'local',
    contextTokens: 8192,
    parametersB: 1,
    capabilities: { tools: false, grammar: true, prefill: true, infill: false, countTokens: true },
    price: null,
    strategies: ['recipe'],
    seesWith: 'llama-server',
  };
  const { seesWith: _, ...text } = eye;
  const blind: ModelInfo = { ...text, id: 'llama-cpp/blind' };
  const found = async (providers: object) =>
    (await check(home, settingsSchema.parse({ providers }), [eye, blind])).filter(({ area }) => area === 'images');
  const [finding, ...others] = await found({});
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    status: 'warning',
    text: 'llama-cpp/eye would see images with your own llama-server, which is not set up',
  });
  expect(hintAction(finding?.hint ?? '')).toMatchObject({ view: { type: 'models', at: 'llama-server' } });
  expect(await found({ mine: { kind: 'llama-server' } })).toEqual([]);
  await rm(home, { recursive: true });
});
