import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const added = 'openai/stronger';

let core: PageCore;
let served: ServedPage;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.models = core.models.flatMap((model) =>
    model.id === core.settings['cloud'] ? [model, { ...model, id: added, label: 'Stronger' }] : [model],
  );
  served = await servePage(core);
  await served.resize(1100, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

it('a person orders the models by keyboard, adds one, removes one and goes back to the found order', async () => {
  const { page } = served;
  await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
  const list = page.getByRole('list', { name: 'Models and their order' });
  await list.scrollIntoViewIfNeeded();
  const rows = list.getByRole('listitem');
  const order = (): unknown => core.settings['modelOrder'];
  await expect.poll(() => rows.count()).toBe(2);
  expect(await list.getByRole('button').count()).toBe(0);
  await page.getByRole('button', { name: 'Choose models' }).click();
  const { local, cloud } = core.settings;
  await expect.poll(order).toEqual([local, cloud]);
  const add = page.getByRole('combobox', { name: 'Add a model' });
  await add.selectOption(added);
  await expect.poll(order).toContain(added);
  await expect.poll(() => rows.count()).toBe(3);
  // The button keeps the focus while its row moves, so a model goes up by pressing it again.
  await rows
    .last()
    .getByRole('button', { name: /^Move .* up$/u })
    .focus();
  const last = await rows.last().getAttribute('data-id');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.nth(1).getAttribute('data-id')).toBe(last);
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.first().getAttribute('data-id')).toBe(last);
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.first().getAttribute('data-id')).toBe(last);
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'model-order');
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'model-order-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await served.resize(500, 800);
  await list.scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await keepScreenshot(page, 'model-order-narrow');
  await rows
    .first()
    .getByRole('button', { name: /^Remove /u })
    .click();
  await expect.poll(order).not.toContain(last);
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await expect.poll(order).toBeNull();
  await expect.poll(() => rows.count()).toBe(2);
  expect(served.complaints).toEqual([]);
});
