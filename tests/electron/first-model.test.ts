import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { SuggestedModel } from '@shared/models/model-suggestion.ts';
import { AppError } from '../../src/shared/errors.ts';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** A home without a model: what one button downloads, what is offered afterwards, and when a waiting question is sent. */
const starter: ModelEntry = {
  id: 'llama-cpp/starter',
  label: 'Starter 1.5B',
  where: 'local',
  state: 'downloadable',
  sizeBytes: 1.1e9,
  license: 'Apache-2.0',
  info: null,
  note: null,
};
const better: SuggestedModel = {
  role: 'coding',
  id: 'better',
  label: 'Better 27B',
  quantization: 'Q4_K_M',
  source: 'hf:example/Better-GGUF/Better-27B.gguf',
  model: 'llama-cpp/Better-27B',
  readyAs: null,
  ollama: null,
  sizeBytes: 17.6e9,
  isSizeExact: true,
  license: 'Apache-2.0',
  place: 'card',
  contextTokens: 65_536,
  isContextPlanned: true,
  decodePerSecond: null,
  prefillPerSecond: null,
  speedNote: null,
  why: 'The best that fits.',
  scores: [],
  limits: [],
  notes: [],
};

let core: PageCore;
let served: ServedPage;

beforeEach(async () => {
  core = createPageCore();
  core.models = [starter];
  core.suggestions = { ...core.suggestions, models: [better] };
  const hint = 'Install Docker or Podman and start it.';
  core.findings = [{ area: 'sandbox', status: 'missing', text: 'No container engine was found.', hint }];
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterEach(async () => {
  await served?.close();
});

const guide = () => served.page.getByRole('region', { name: 'Get started' });
const pulls = () => core.asked.flatMap(({ name, args }) => (name === 'pull' ? args : []));

/** Catches: a first start of more than two clicks, and a large download before anybody knows how quick it would be. */
it('the first start fetches only the small model, and asks a chosen question once it is here', async () => {
  const { page } = served;
  await expect
    .poll(() => guide().getByRole('button').allInnerTexts())
    .toEqual([
      'Download a model, 1.1 GB',
      'How do I undo my last Git commit?',
      'Explain what a regular expression is',
      'How do I decline a meeting politely?',
      'Skip setup',
    ]);
  await keepScreenshot(page, 'first-start');
  expect(await violations(page)).toEqual([]);
  await guide().getByRole('button', { name: 'Download a model, 1.1 GB' }).click();
  await guide().getByRole('progressbar').waitFor();
  await guide().getByRole('button', { name: 'Explain what a regular expression is' }).click();
  await guide().getByText('Your question is asked as soon as').waitFor();
  await keepScreenshot(page, 'first-start-downloading');
  expect(await violations(page)).toEqual([]);
  core.endDownload();
  await page.getByRole('heading', { level: 1, name: /Explain what a regular/u }).waitFor();
  expect(pulls()).toEqual([starter.id]);
});

it('the first start offers the better model with its speed, once the machine was measured with the small one', async () => {
  const { page } = served;
  await guide().getByRole('button', { name: 'Download a model, 1.1 GB' }).click();
  await guide().getByRole('progressbar').waitFor();
  core.endDownload();
  await guide().getByText('Starter 1.5B is ready.').waitFor();
  expect(await guide().getByRole('button', { name: 'Get Better 27B' }).count()).toBe(0);
  core.suggestions = { ...core.suggestions, models: [{ ...better, decodePerSecond: 11.8 }] };
  await keepScreenshot(page, 'first-start-measure');
  await guide().getByRole('button', { name: 'Measure this machine' }).click();
  await guide().getByText('It would write about 12 tokens per second here.').waitFor();
  await keepScreenshot(page, 'first-start-better');
  expect(await violations(page)).toEqual([]);
  await guide().getByRole('button', { name: 'Get Better 27B' }).click();
  core.models = [...core.models, { ...starter, id: better.model, label: better.label, state: 'ready' }];
  await expect.poll(pulls).toEqual([starter.id, better.source]);
  core.endDownload();
  await page.getByText('Better-27B passed its test and is your local model now.').waitFor();
  expect(await core.client.settings.get({ key: 'local' })).toBe(better.model);
});

/** Catches: a first start that ends at an error. */
it('the first start says why a download failed, and what works without it', async () => {
  const { page } = served;
  const gone = new AppError('network', 'The package server could not be reached.', { hint: 'Check the network.' });
  core.replace({ models: { pull: () => Promise.reject(gone) } });
  await guide()
    .getByRole('button', { name: /^Download a model/u })
    .click();
  await guide().getByText('The package server could not be reached.').waitFor();
  await guide().getByText('Without it, you can use').waitFor();
  await keepScreenshot(page, 'first-start-failed');
  expect(await violations(page)).toEqual([]);
  await guide().getByRole('button', { name: 'Open models' }).click();
  await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
});
