import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkSetup } from '../../../src/main/home/check-setup.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';

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
  const findings = await checkSetup(
    {
      version: '0.0.0-test',
      home,
      cache: home,
      settings,
      env: {},
      listKeys: async () => ({ keys: [], store: { type: 'ready', name: 'test' } }),
      listServers: async () => [],
      listRules: async () => [],
      listToolServers: async () => [],
      listOwnTools: async () => [],
      searchModelProblem: async (model) => (model === 'auto' ? 'auto is wrong here.' : null),
      showModel: async (id) => ({
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
    new AbortController().signal,
  );
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
