import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { suggestionsFor } from '../fakes/suggestions.ts';
import { violations } from './axe.ts';
import { keepScreenshot, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** Catches: a recommended model that is used before its test has passed, or never. */
const core = createPageCore();
const id = 'llama-cpp/Qwen3.8-27B-UD-Q4_K_XL';
let served: ServedPage;

beforeAll(async () => {
  furnish(core);
  core.suggestions = suggestionsFor({ name: 'Example Card 24', gib: 24, hostGib: 32, bandwidth: 878e9 });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

// Catches: an unused graphics card that is not explained, and a library that is offered without its reason.
it('the view of models says why the card is not used, and gets the library that it needs', async () => {
  const { page } = served;
  core.cards = {
    cards: [{ name: 'Example Card 24', totalBytes: 24e9, source: 'nvidia-smi' }],
    isUsed: false,
    reason: 'Example Card 24 is used through Vulkan and not CUDA: the runtime of CUDA 13 is missing.',
    advice: null,
    library: { id: 'engine/vulkan', label: 'the engine (Vulkan)', bytes: 27e6, license: 'MIT', isHere: false },
  };
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const cards = page.getByRole('region', { name: 'Graphics cards' });
  await cards.getByText('Built-in models use the processor.').waitFor();
  await cards.getByText('the runtime of CUDA 13 is missing').waitFor();
  await keepScreenshot(page, 'graphics-cards');
  await cards.getByRole('button', { name: 'Get the engine (Vulkan): 27 MB, MIT' }).click();
  await cards.getByRole('progressbar').waitFor();
  expect(await violations(page)).toEqual([]);
  await cards.getByRole('button', { name: 'Cancel' }).click();
  await cards.getByRole('button', { name: 'Get the engine (Vulkan)' }).waitFor();
});

it('the view of models shows what suits this machine, and uses a model after it passed its test', async () => {
  const { page } = served;
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const list = page.getByRole('region', { name: 'Recommended for this machine' });
  const coding = list.locator('[data-suggested]', { hasText: 'Coding' }).first();
  await coding.getByText('about 45 tokens per second here').waitFor();
  await coding.getByText('Details').click();
  await coding.getByText('30 local agent tasks passed: 30 (independent)').waitFor();
  expect(await list.locator('[data-suggested]').count()).toBe(3);
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'suggested');
  await served.resize(720, 860);
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepScreenshot(page, 'suggested-narrow');
  await page.emulateMedia({ colorScheme: null });
  await served.resize(1360, 860);

  const before = await core.client.settings.get({ key: 'local' });
  await coding.getByRole('button', { name: 'Get Qwen3.8 27B' }).click();
  await coding.getByRole('progressbar').waitFor();
  expect(await core.client.settings.get({ key: 'local' })).toBe(before);
  core.suggestions = {
    ...core.suggestions,
    models: core.suggestions.models.map((model) => (model.model === id ? { ...model, readyAs: id } : model)),
  };
  core.endDownload();
  await coding.getByText('used for local steps').waitFor();
  expect(await core.client.settings.get({ key: 'local' })).toBe(id);
});

// Catches: a file that is known to be wrong, or a model that is too slow to be useful, shown like any other.
it('the view of models says what speaks against a model that is here', async () => {
  const { page } = served;
  const [first] = core.models.filter(({ state, where }) => state === 'ready' && where === 'local');
  if (first === undefined) throw new Error('no model is here');
  const again = 'Download it again: `dewpoint models remove llama-cpp/own`.';
  const advice = [
    { kind: 'broken', text: `This file is damaged: it is cut off. ${again}` },
    {
      kind: 'slow',
      text: 'Too slow on this machine: its benchmark wrote 2.1 tokens per second. Choose a smaller model.',
    },
  ] as const;
  core.models = core.models.map((model) => (model.id === first.id ? { ...model, advice } : model));
  await reload(page);
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const row = page.locator(`[data-model="${first.id}"]`);
  await row.getByText('This file is damaged').waitFor();
  await row.getByText('2.1 tokens per second').scrollIntoViewIfNeeded();
  expect(await row.locator('code').allInnerTexts()).toContain('dewpoint models remove llama-cpp/own');
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'model-advice');
});

it('the view of models says when no model fits', async () => {
  const { page } = served;
  core.suggestions = { ...core.suggestions, models: [] };
  await reload(page);
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  await page.getByText('No model in the catalog fits this machine.').waitFor();
  await keepScreenshot(page, 'suggested-none');
});
