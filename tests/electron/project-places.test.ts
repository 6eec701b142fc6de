import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  await core.client.settings.set({ key: 'projects.added', value: ['/home/ada/gone-shop'] });
  await core.client.projects.create({ name: 'Steuer 税' });
  await core.client.projects.create({ name: 'Papers', folder: '/home/ada/papers' });
  core.replace({ host: { info: () => ({ isWindow: true, refused: [] }) } });
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
  const dialog = page.getByRole('dialog', { name: 'Prompts', exact: true });
  await dialog.getByLabel('Name').fill('sum');
  await dialog.getByLabel('Text', { exact: true }).fill('Add up {{year}}.');
  expect(await dialog.getByLabel('Only in this project').isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Save prompt' }).click();
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

// Catches: a task that sends `/sum` to the model as it stands, and a prompt that is offered in another project.
it('a new task in a project without a folder fills in its prompts, and other projects do not', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'New task here' }).click();
  const task = page.getByRole('textbox', { name: 'Task', exact: true });
  await page.getByRole('main').getByText('In the project', { exact: true }).waitFor();
  await task.fill('/su');
  await page
    .getByRole('listbox', { name: 'Commands' })
    .getByRole('option', { name: /^\/sum/u })
    .waitFor();
  await task.fill('/sum 2026');
  await task.press('Enter');
  await expect.poll(() => task.inputValue()).toBe('Add up 2026.');
  await task.fill('');
  const inPapers = { name: 'file', text: 'File these papers.', projectPath: '/home/ada/papers' };
  await core.client.templates.save(inPapers);
  await page.getByRole('button', { name: 'Settings of Papers' }).click();
  await group('Prompts').getByRole('button', { name: '/file' }).waitFor();
  expect(await group('Prompts').getByRole('listitem').count()).toBe(1);
});

// Catches: a prompt for everywhere that is overwritten by one of a project with the same name.
it('a prompt of a project takes no place that is taken, and says so', async () => {
  const { page } = served;
  await core.client.templates.save({ name: 'sum', text: 'Sum up this text.' });
  await page.getByRole('button', { name: 'Settings of Steuer 税' }).click();
  await group('Prompts').getByRole('button', { name: '/sum' }).click();
  const dialog = page.getByRole('dialog', { name: 'Prompts', exact: true });
  await dialog.getByLabel('Only in this project').uncheck();
  await dialog.getByRole('button', { name: 'Save prompt' }).click();
  await dialog.getByText('There is a prompt /sum already. Nothing was changed.').waitFor();
  await keepScreenshot(page, 'project-prompts-taken');
  expect((await core.client.templates.list()).templates).toMatchObject([{ text: 'Sum up this text.' }]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

// Catches: a project whose folder was renamed, and whose page says only that it is gone.
it('the page of a project whose folder is gone takes the place where it lies now', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings of gone-shop' }).click();
  await page.getByText('The folder /home/ada/gone-shop was not found.').waitFor();
  const folder = page.getByLabel('Where the folder lies now');
  await folder.fill('/home/ada/papers');
  await page.getByRole('button', { name: 'Use this folder' }).click();
  const refusal = page.getByRole('alert').filter({ hasText: '/home/ada/papers' });
  await refusal.waitFor();
  // Beside the field, and not in another part of the page.
  expect(await group('Your instructions').getByRole('alert').count()).toBe(0);
  await folder.fill('/home/ada/shop');
  await keepScreenshot(page, 'project-moved');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use this folder' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();
});

// Catches: a field in a browser that always fails, whatever is typed.
it('in a browser, the page of a project says where its folder is chosen', async () => {
  const { page } = served;
  core.replace({ host: { info: () => ({ isWindow: false, refused: [] }) } });
  await reload(page);
  await page.getByRole('button', { name: 'Settings of Steuer 税' }).click();
  await group('Name and icon').getByText('dewpoint projects set PROJECT --folder DIR').waitFor();
  await group('Folders for search').getByText('dewpoint projects folders add FOLDER').waitFor();
  expect(await page.getByRole('button', { name: 'Add folder' }).count()).toBe(0);
  await group('Name and icon').scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'project-browser');
  expect(served.complaints).toEqual([]);
});
