import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchedDay } from '../fakes/page-prices.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { keepLooks } from './keep-looks.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

/** Catches: a list that is fetched unasked, or used before a person saw what it changes. */
let core: PageCore;
let served: ServedPage;
let sessions: Readonly<Record<string, string>>;

beforeAll(async () => {
  core = createPageCore();
  sessions = await furnishEveryView(core);
  served = await servePage(core);
});
afterAll(async () => {
  await served?.close();
});

const asked = (): readonly unknown[] => core.asked.filter(({ name }) => name === 'prices').flatMap(({ args }) => args);

it('The costs fetch a newer price list when asked, show old and new, use it after a yes, and go back', async () => {
  const { page } = served;
  await viewWays(page, sessions).ways.costs();
  await page.getByText('From the list that came with Dewpoint, dated', { exact: false }).waitFor();
  expect(asked()).toEqual([]);
  const look = page.getByRole('button', { name: 'Check for new prices' });
  await look.click();
  await page.getByText('Nobody answers.', { exact: false }).waitFor();
  await look.click();
  await page.getByText('1 price changes', { exact: false }).waitFor();
  await page.getByText('in $1.25, out $10, cached $0.125 → in $2, out $12').waitFor();
  expect(asked()).toEqual([false, false]);
  await keepLooks(served, 'costs-prices');
  await page.getByRole('button', { name: 'Keep the old ones' }).click();
  await look.click();
  const use = page.getByRole('button', { name: 'Use these prices' });
  await use.click();
  await use.waitFor({ state: 'detached' });
  await page.getByText(`From the newest list, fetched on ${fetchedDay}.`, { exact: false }).waitFor();
  await expect.poll(asked).toEqual([false, false, false, true]);
  await look.click();
  await page.getByText('The newest list has the same prices.').waitFor();
  expect(await use.count()).toBe(0);
  await page.getByRole('button', { name: 'Use the prices of this version' }).click();
  await page.getByText('From the list that came with Dewpoint, dated', { exact: false }).waitFor();
});
