import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
const core = createPageCore();

beforeAll(async () => {
  furnish(core);
  await fixScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(async () => {
  await served?.close();
});

const file = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from('x') });

// Catches: a file that is refused without a word, a copy that is replaced silently, and a list that only a pointer reaches.
it('the page of a project keeps files and pages at hand, says what became of each, and removes them by keyboard', async () => {
  const { page } = served;
  await page.evaluate(() => Reflect.set(window, 'dewpoint', { pathOf: (one: File) => `/shelf/${one.name}` }));
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
  const section = page.getByRole('region', { name: 'Knowledge' });
  await section.getByText('No files yet.').waitFor();
  await keepScreenshot(page, 'knowledge-empty');
  const picker = section.locator('input[type=file]');
  await picker.setInputFiles([file('handbook.pdf'), file('photo.bin')]);
  await section.getByText('photo.bin is no document and no text.').waitFor();
  const row = section.locator('[data-knowledge="handbook.pdf"]');
  await row.getByText('12 pages').waitFor();
  await picker.setInputFiles([file('handbook.pdf')]);
  await section.getByText('handbook.pdf replaces the copy that was there.').waitFor();
  const address = section.getByLabel('Address of a page, fetched once');
  await address.fill('example.org/refused.bin');
  await page.keyboard.press('Enter');
  await section.getByText('refused.bin is no document and no text.').waitFor();
  expect(await address.inputValue()).toBe('example.org/refused.bin');
  await address.fill('example.org/tariffs');
  await page.keyboard.press('Enter');
  await section.locator('[data-knowledge=tariffs]').waitFor();
  await row.getByRole('checkbox').focus();
  await page.keyboard.press('Space');
  await section.getByText('1 goes whole into each session: about 4,200 tokens.').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, `knowledge-${colorScheme}`);
  }
  await served.resize(900, 700);
  await keepScreenshot(page, 'knowledge-narrow');
  await row.getByRole('button', { name: 'Remove handbook.pdf' }).focus();
  await page.keyboard.press('Enter');
  await row.waitFor({ state: 'detached' });
  expect(core.knowledge.map(({ name }) => name)).toEqual(['tariffs']);
});

// Catches: a page that shows the knowledge of an hour ago, because a terminal added to it since.
it('the page of a project shows what a terminal adds while it is open', async () => {
  const { page } = served;
  const section = page.getByRole('region', { name: 'Knowledge' });
  const sources = [{ type: 'file' as const, path: '/shelf/tax.pdf' }];
  for await (const said of await core.client.knowledge.add({ projectPath: '/work/api-server', sources })) void said;
  await section.locator('[data-knowledge="tax.pdf"]').waitFor();
});

// Catches: lines that count everywhere and that no page shows, and a search that hides a line for good.
it('the settings show the memory for every project and for one, with a search', async () => {
  const { page } = served;
  await served.resize(1360, 860);
  const made = { date: '2026-11-29', sessionId: null, isAfterOutside: false, of: 'you' } as const;
  core.memory = ['Be short.', 'Dates are in UTC.', 'Tests come first.', 'Water is wet.'].map((text) => ({
    ...made,
    id: text,
    text,
  }));
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const memory = page.getByRole('region', { name: 'Memory' });
  await memory.getByText('Dates are in UTC.').waitFor();
  await memory.getByLabel('Search the lines').fill('utc dates');
  await memory.getByText('Be short.').waitFor({ state: 'detached' });
  await memory.scrollIntoViewIfNeeded();
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'memory-search');
  await memory.getByLabel('Search the lines').fill('nowhere');
  await memory.getByText('No line has these words.').waitFor();
  await memory.getByLabel('Search the lines').fill('');
  await memory.getByLabel('New line').fill('Answer in German.');
  await page.keyboard.press('Enter');
  await memory.getByText('Answer in German.').waitFor();
  expect(core.asked.findLast(({ name }) => name === 'note-line')?.args).toEqual(['Answer in German.', 'you']);
  // A line that was written by hand meanwhile is there when the person comes back to the window.
  core.memory.push({ ...made, id: 'by-hand', text: 'Written in an editor.' });
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await memory.getByText('Written in an editor.').waitFor();
  await memory.getByLabel('Memory of').selectOption('api-server');
  await memory.getByLabel('Where it counts').waitFor();
});
