import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  served = await servePage(core);
  await served.resize(900, 700);
});

afterAll(async () => {
  await served?.close();
});

it('the context of a model file is changed in its row, with the memory plan beside it', async () => {
  const { page } = served;
  const model = core.models.find(({ id, state }) => id.startsWith('llama-cpp/') && state === 'ready');
  expect(model).toBeDefined();
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const row = page.locator(`[data-model="${model?.id ?? ''}"]`);
  await row.getByRole('button', { name: /^Advanced/u }).click();
  await row.getByText(/^Uses about .* tokens of context/u).waitFor();
  await row.getByLabel('Context (tokens)').fill('8192');
  await row.getByText(/^Uses about .* with 8,192 tokens of context/u).waitFor();
  for (const look of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: look });
    await keepScreenshot(page, `model-context-${look}`);
    expect(await violations(page)).toEqual([]);
  }
  await row.getByRole('button', { name: 'Save', exact: true }).click();
  await expect
    .poll(() => JSON.stringify(core.asked.filter(({ name }) => name === 'set')))
    .toContain('"contextTokens":8192');
});
