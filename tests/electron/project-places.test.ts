import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  await core.client.settings.set({ key: 'projects.added', value: ['/home/ada/gone-shop'] });
  await core.client.projects.create({ name: 'Steuer 税' });
  await fixScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const group = (name: string) => served.page.getByRole('region', { name, exact: true });

// Catches: a prompt of one project that lands among those for everywhere, and a page that does not show it.
it('the page of a project without a folder keeps prompts of its own', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings of Steuer 税' }).click();
  await group('Prompts').getByRole('button', { name: 'New prompt' }).click();
  const dialog = page.getByRole('dialog', { name: 'Prompt templates' });
  await dialog.getByLabel('Name').fill('sum');
  await dialog.getByLabel('Prompt', { exact: true }).fill('Add up {{year}}.');
  expect(await dialog.getByLabel('Only in this project').isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Save template' }).click();
  await dialog.getByRole('button', { name: '/sum this project' }).waitFor();
  await keepScreenshot(page, 'project-prompts-dialog');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await group('Prompts').getByText('Add up {{year}}.').waitFor();
  await group('Prompts').scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'project-prompts');
  expect(await violations(page)).toEqual([]);
  expect((await core.client.templates.list({ projectPath: null })).templates).toEqual([]);
});

// Catches: a project whose folder was renamed, and whose page says only that it is gone.
it('the page of a project whose folder is gone takes the place where it lies now', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings of gone-shop' }).click();
  await page.getByText('The folder /home/ada/gone-shop was not found.').waitFor();
  await page.getByLabel('Where the folder lies now').fill('/home/ada/shop');
  await keepScreenshot(page, 'project-moved');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use this folder' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();
  expect(served.complaints).toEqual([]);
});
