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
    expect(asked()).toEqual([[cloud?.id, null, 0.5]]);
    await inBothLooks('asked-again');
  });

  it('stops when the person cancels, and keeps what was answered', async () => {
    const { page } = served;
    const dialog = page.getByRole('dialog', { name: 'Ask another model' });
    await dialog.getByRole('spinbutton', { name: 'Spending limit' }).fill('5');
    await dialog.getByRole('button', { name: 'Ask this model' }).click();
    await dialog.getByText('Asked 2 of 3').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Ask this model' }).waitFor();
    expect(await dialog.getByRole('row').count()).toBe(3);
    await dialog
      .getByText('Stopped after 2 of 3 requests. If you ask this model again, it begins with the first one.')
      .waitFor();
    await inBothLooks('asked-again-cut');
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
});
