import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

/** Catches: a model that is asked, and paid, before a person saw what that costs, or that cannot be stopped. */
let core: PageCore;
let served: ServedPage;
let sessions: Readonly<Record<string, string>>;

beforeAll(async () => {
  core = createPageCore();
  sessions = await furnishEveryView(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const asked = () => core.asked.filter(({ name }) => name === 'askAgain').map(({ args }) => args);

async function inBothLooks(name: string): Promise<void> {
  const { page } = served;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
    await keepScreenshot(page, `${name}-${colorScheme}`);
    expect(await violations(page)).toEqual([]);
  }
}

describe('the window in which another model is asked again', () => {
  it('tells the price and takes the most that it may be, before it asks a cloud model', async () => {
    const { page } = served;
    await viewWays(page, sessions).ways['ask-again']();
    const dialog = page.getByRole('dialog', { name: 'Ask another model' });
    const model = dialog.getByRole('combobox', { name: 'Model' });
    const cloud = (await core.client.models.list()).find(({ where, state }) => where === 'cloud' && state === 'ready');
    await model.selectOption(cloud?.id ?? '');
    await dialog.getByText('leave this machine').waitFor();
    const most = dialog.getByRole('spinbutton', { name: 'Spending limit' });
    expect(await most.inputValue()).toBe('0.02');
    await inBothLooks('ask-again');
    const ask = dialog.getByRole('button', { name: 'Ask this model' });
    await most.fill('');
    expect(await ask.isDisabled()).toBe(true);
    expect(asked()).toEqual([]);
    await most.fill('0.5');
    await ask.click();
    await dialog.getByText('same tool, other target').waitFor();
    await dialog.getByText('Not asked: the text must not leave this machine').waitFor();
    await dialog.getByText('1 of 2 (').waitFor();
    expect(asked()).toEqual([[cloud?.id, null, 0.5, true]]);
    await inBothLooks('asked-again');
  });

  it('stops when the person cancels, and keeps what was answered', async () => {
    const { page } = served;
    const dialog = page.getByRole('dialog', { name: 'Ask another model' });
    await dialog.getByRole('spinbutton', { name: 'Spending limit' }).fill('5');
    await dialog.getByRole('button', { name: 'Ask this model' }).click();
    await dialog.getByText('Asked 2 of 3').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await dialog.getByRole('row').count()).toBe(3);
    await dialog.getByText('2 of 3 requests were answered. Resume to ask only the rest.').waitFor();
    await inBothLooks('asked-again-cut');
  });

  it('resumes with the request after the last answer, at the price of the rest', async () => {
    const { page } = served;
    const dialog = page.getByRole('dialog', { name: 'Ask another model' });
    await dialog.getByText('1 request,').waitFor();
    const anew = dialog.getByRole('checkbox', { name: 'Ask the 2 requests again that this model answered before' });
    expect(await anew.isChecked()).toBe(false);
    await dialog.getByRole('spinbutton', { name: 'Spending limit' }).fill('0.5');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByText('answered before', { exact: true }).nth(1).waitFor();
    await dialog.getByRole('row').nth(3).waitFor();
    expect(asked().at(-1)?.slice(1)).toEqual([null, 0.5, true]);
    await anew.check();
    await dialog.getByText('3 requests,').waitFor();
    await dialog.getByRole('button', { name: 'Ask this model' }).click();
    await dialog.getByRole('row').nth(3).waitFor();
    expect(asked().at(-1)?.at(-1)).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('asks the request of one step from its inspector', async () => {
    const { page } = served;
    await viewWays(page, sessions).ways.route();
    await page.getByRole('button', { name: 'Ask another model for this step…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ask another model' });
    await dialog.getByText('1 request,').waitFor();
    await dialog.getByRole('button', { name: 'Ask this model' }).click();
    await dialog.getByRole('row').nth(1).waitFor();
    expect(asked().at(-1)?.[1]).toEqual(expect.any(String));
    await inBothLooks('asked-again-step');
  });

  it('asks what all sessions of a period asked, a row for each session', async () => {
    const { page } = served;
    await page.keyboard.press('Escape');
    await viewWays(page, sessions).ways.costs();
    await page.getByRole('button', { name: 'Ask another model what was asked…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ask another model' });
    const cloud = (await core.client.models.list()).findLast(
      ({ where, state }) => where === 'cloud' && state === 'ready',
    );
    await dialog.getByRole('combobox', { name: 'Model' }).selectOption(cloud?.id ?? '');
    await dialog.getByText('2 sessions. 1 of them cannot be read.').waitFor();
    const since = dialog.getByLabel('Asked since');
    await since.fill('');
    expect(await dialog.getByRole('button', { name: /^(?:Ask this model|Resume)$/u }).isDisabled()).toBe(true);
    await since.fill('2026-11-02');
    await dialog.getByText('2 sessions. 1 of them cannot be read.').waitFor();
    await dialog.getByRole('spinbutton', { name: 'Spending limit' }).fill('0.5');
    await dialog.getByRole('button', { name: /^(?:Ask this model|Resume)$/u }).click();
    const table = dialog.getByRole('table', { name: 'By session' });
    await table.getByText('The folder /home/ada/api-server was not found.').waitFor();
    await table.getByText('2 of 3').waitFor();
    await dialog.getByText('Tokens, time and price').waitFor();
    await inBothLooks('asked-again-period');
  });
});
