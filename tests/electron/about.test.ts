import { afterEach, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage | null = null;
afterEach(() => served?.close());

const rule = '='.repeat(80);
const texts = [
  ['Dewpoint', 'Apache License'],
  ['left-pad 1.3.0', 'Do what you want'],
  ['zod 4.1.0', 'MIT License'],
];
const file = `${rule}\n${texts.map((lines) => `${lines.join('\n\n')}\n`).join(`\n${rule}\n`)}`;

/** Catches: license texts that ship and that nobody can read. */
it('the About view shows the licenses of what Dewpoint holds, and finds a package among them', async () => {
  const core = createPageCore();
  core.replace({ home: { licenses: () => ({ folder: '/opt/dewpoint', text: file }) } });
  served = await servePage(core);
  const { page } = served;
  await page.keyboard.press('Control+,');
  await page.getByRole('button', { name: 'Show licenses' }).click();
  await page.getByText('left-pad 1.3.0').waitFor();
  expect(await page.getByText('/opt/dewpoint').count()).toBe(1);
  await page.getByRole('searchbox', { name: 'Search licenses' }).fill('ZOD');
  await page.getByText('left-pad 1.3.0').waitFor({ state: 'detached' });
  expect(await page.getByText('MIT License').count()).toBe(1);
  await page.getByRole('searchbox', { name: 'Search licenses' }).fill('nothing like it');
  await page.getByText('No license has “nothing like it” in it.').waitFor();
  await page.getByRole('button', { name: 'Hide licenses' }).click();
  expect(served.complaints).toEqual([]);
});
