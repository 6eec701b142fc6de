import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { createPageCore, type PageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import { servePage, type ServedPage } from './page-kit.ts';

/** Catches: a model that sees pictures, and nobody who can say so without a text editor and a restart. */
let served: ServedPage;
let core: PageCore;
const blind: ModelEntry = {
  id: 'office/vision:7b',
  label: 'Vision 7B',
  where: 'local',
  state: 'ready',
  sizeBytes: null,
  license: null,
  note: null,
  info: {
    id: 'office/vision:7b',
    provider: 'office',
    name: 'vision:7b',
    label: 'Vision 7B',
    where: 'local',
    contextTokens: 32_768,
    parametersB: 7,
    price: null,
    capabilities: { tools: true, grammar: false, prefill: false, infill: false, countTokens: false, images: false },
    strategies: ['loop'],
  },
};

beforeAll(async () => {
  core = createPageCore();
  const office = { kind: 'openai-compatible', baseUrl: 'http://office.local:1234/v1', models: {} };
  core.settings = { ...core.settings, providers: { office } };
  core.models = [blind];
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(() => served?.close());

it('a switch says that a model or all models of an endpoint see pictures', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  const ofModel = page.getByRole('checkbox', { name: 'Vision 7B sees images' });
  await ofModel.click();
  await expect
    .poll(() => core.client.settings.get({ key: ['providers', 'office', 'models', 'vision:7b'] }))
    .toEqual({ images: true });
  const ofEndpoint = page.getByRole('checkbox', { name: 'office sees images' });
  await ofEndpoint.scrollIntoViewIfNeeded();
  await ofEndpoint.click();
  await expect.poll(() => core.client.settings.get({ key: ['providers', 'office', 'images'] })).toBe(true);
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'sees-pictures');
});
