import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const core = createPageCore();
let served: ServedPage;

beforeAll(async () => {
  furnish(core);
  core.costRows = [];
  core.templates = [
    { name: 'explain', text: 'Explain {{file}} in {{count}} words.' },
    { name: 'review', text: 'Review {{file}}.' },
  ];
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const field = () => served.page.getByRole('textbox', { name: 'Task', exact: true });
const chosen = () =>
  field().evaluate((area) =>
    area instanceof HTMLTextAreaElement ? area.value.slice(area.selectionStart, area.selectionEnd) : '',
  );

/** Catches: a template that works only in a session, or is sent before the user saw it. */
it('a new task is filled from a template, with its first place chosen', async () => {
  const { page } = served;
  await field().fill('/exp');
  const list = page.getByRole('listbox', { name: 'Commands' });
  await list.getByRole('option', { name: /^\/explain/u }).waitFor();
  expect(await list.getByRole('option').count()).toBe(1);
  await keepScreenshot(page, 'new-task-template');
  expect(await violations(page)).toEqual([]);
  await field().press('Enter');
  await expect.poll(() => field().inputValue()).toBe('Explain {{file}} in {{count}} words.');
  await expect.poll(chosen).toBe('{{file}}');
  await field().fill('/explain count=ten a.py');
  await field().press('Enter');
  await expect.poll(() => field().inputValue()).toBe('Explain a.py in ten words.');
  expect(await core.client.sessions.list()).toEqual([]);
  await field().fill('');
});

/** Catches: a shortcut that only a tooltip names and that cannot be changed. */
it('a new task gets the next mode by its keys, which can be changed in the settings', async () => {
  const { page } = served;
  const mode = () => page.locator('[data-mode][aria-pressed=true]').getAttribute('data-mode');
  await field().fill('Save that as towns.md.');
  expect(await mode()).toBe('work');
  const example = () => field().getAttribute('placeholder');
  expect(await example()).toContain('A test fails');
  await page.keyboard.press('Control+Shift+M');
  await expect.poll(mode).toBe('ask');
  // Bug: the example was a failing test while "Ask" was chosen.
  expect(await example()).toMatch(/^How .*\?$/u);
  await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: /^Change shortcut for Next mode.*Ctrl\+Shift\+M/u }).click();
  await page.keyboard.press('Control+Shift+Y');
  await page.getByRole('button', { name: /^Change shortcut for Next mode.*Ctrl\+Shift\+Y/u }).waitFor();
  await page.keyboard.press('Control+N');
  await field().fill('Save that as towns.md.');
  expect(await page.locator('[data-mode=ask]').getAttribute('title')).toContain('Ctrl+Shift+Y');
  // The form keeps the mode that was chosen. The old keys do nothing any more.
  await page.keyboard.press('Control+Shift+M');
  expect(await mode()).toBe('ask');
  await page.keyboard.press('Control+Shift+Y');
  await expect.poll(mode).not.toBe('ask');
});

/** Catches: an empty view that leads nowhere. */
it('a new task is one click or key away from an empty view', async () => {
  const { page } = served;
  for (const view of ['Costs', 'Bin']) {
    await page.getByRole('navigation').getByRole('button', { name: view, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
    const start = page.getByRole('button', { name: 'Start a task' });
    await start.waitFor();
    await keepScreenshot(page, `empty-${view.toLowerCase()}`);
    expect(await violations(page)).toEqual([]);
    await start.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'What would you like to do?' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  }
});

/** Catches: an issue that is read without a click, and its words sent before a person saw them. */
it('a new task begins from the address of an issue, whose words are shown first', async () => {
  const { page } = served;
  await page.getByLabel('Project folder').fill('/home/ada/projects/api-server');
  await field().fill('https://example.org/ada/app/issues/new');
  const read = page.getByRole('button', { name: 'Read the issue' });
  expect(await read.count()).toBe(0);
  await field().fill('https://other.example/ada/app/issues/12');
  await read.click();
  await page.getByText('No remote of the project leads to that host').waitFor();
  await field().fill('https://example.org/ada/app/-/issues/12');
  await read.waitFor();
  await keepScreenshot(page, 'new-task-issue');
  expect(await violations(page)).toEqual([]);
  expect(core.asked.filter(({ name }) => name === 'issue')).toEqual([]);
  await read.click();
  await expect.poll(() => field().inputValue()).toContain('> The date is wrong.');
  expect(core.asked.findLast(({ name }) => name === 'issue')?.args).toEqual([
    '/home/ada/projects/api-server',
    'https://example.org/ada/app/-/issues/12',
  ]);
  await field().fill('');
});

/** Catches: a repository that is asked for before a click, or brought to another place than the one that was shown. */
it('a new task begins from the address of a repository, which goes where the page says', async () => {
  const { page } = served;
  const project = page.getByLabel('Project folder');
  await project.fill('git@example.org:ada/app.git');
  await page.getByLabel('Put it into').fill('/home/ada/code/');
  await page.getByText('The new folder is /home/ada/code/app.').waitFor();
  await page.getByRole('button', { name: 'Clone', exact: true }).click();
  await page.getByText('Dewpoint uses no SSH keys').waitFor();
  await project.fill('https://example.org/ada/slow.git');
  await page.getByLabel('Put it into').fill('/home/ada/code');
  expect(core.asked.filter(({ name }) => name === 'clone')).toEqual([]);
  await page.getByRole('button', { name: 'Clone', exact: true }).click();
  await page.getByText('Received 4 MB').waitFor();
  await keepScreenshot(page, 'new-task-clone');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Clone', exact: true }).waitFor();
  await project.fill('https://example.org/ada/app');
  await page.getByLabel('Put it into').fill('/home/ada/code');
  await page.getByRole('button', { name: 'Clone', exact: true }).click();
  await expect.poll(() => project.inputValue()).toBe('/home/ada/code/app');
  await page.getByText('1 submodule is not brought').waitFor();
  await page.getByText('Links that lead outside of the folder: a<U+202E>b.').waitFor();
  expect(core.asked.filter(({ name }) => name === 'clone').map(({ args }) => args)).toEqual([
    ['https://example.org/ada/slow.git', '/home/ada/code/slow'],
    ['https://example.org/ada/app', '/home/ada/code/app'],
  ]);
});
