import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { answerScene, fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** Every item of the status bar opens the place that explains it. */
let core: PageCore;
let served: ServedPage;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.setTime(Date.now() - 3_600_000);
  await answerScene(core);
  await fixScene(core);
  await core.client.settings.set({ key: 'budget', value: { month: 20 } });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
  await ownOnLine();
});

afterAll(async () => {
  await served?.close();
});

/** Lets the test decide whether the page is online, until the page is loaded again. */
const ownOnLine = (): Promise<unknown> =>
  served.page.evaluate(() =>
    Object.defineProperty(navigator, 'onLine', { get: () => Reflect.get(window, 'isOffline') !== true }),
  );

const items = (): Locator => served.page.getByRole('region', { name: 'Status' }).getByRole('button');
const heading = (name: string): Locator => served.page.getByRole('heading', { level: 1, name });

async function setOffline(isOffline: boolean): Promise<void> {
  await served.page.evaluate((isTrue) => {
    Reflect.set(window, 'isOffline', isTrue);
    window.dispatchEvent(new Event(isTrue ? 'offline' : 'online'));
  }, isOffline);
}

describe('the status bar', () => {
  it('opens a tab of the inspector from each item of a session, even when that was closed', async () => {
    const { page } = served;
    await page.locator('[data-session]', { hasText: 'Fix the failing' }).click();
    await heading('Fix the failing date test').waitFor();
    // The cost of the alternative place is known later than the rest.
    await expect.poll(() => items().count()).toBe(5);
    const seen: (readonly [string, string])[] = [];
    for (const item of await items().all()) {
      const text = (await item.innerText()).replaceAll(/\s+/gu, ' ');
      await page.keyboard.press('Control+1');
      await page.keyboard.press('Control+J');
      await page.getByRole('tabpanel').waitFor({ state: 'detached' });
      await item.click();
      seen.push([text, (await page.getByRole('tab', { selected: true }).innerText()).replaceAll(/\s*\d+$/gu, '')]);
    }
    expect(seen).toEqual([
      ['Qwen2.5 Coder 1.5B Instruct', 'Route'],
      [expect.stringMatching(/^[\d.]+ tok\/s$/u), 'Context'],
      [expect.stringMatching(/^\$\d/u), 'Cost'],
      [expect.stringMatching(/^(?:On this machine|In the cloud)/u), 'Cost'],
      ['Container', 'Sandbox'],
    ]);
  });

  /** Catches: an inspector beside a one-line answer, and one that forgets the user's choice. */
  it('stays below an inspector that opens by itself for changes only, or as the person chose', async () => {
    const { page } = served;
    const panel = page.getByRole('tabpanel');
    const show = async (title: string): Promise<void> => {
      await page.locator('[data-session]', { hasText: title }).click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    };
    await page.evaluate(() => localStorage.removeItem('dewpoint-inspector'));
    await reload(page);
    await show('Which port');
    expect(await panel.count()).toBe(0);
    await show('Fix the failing');
    await panel.waitFor();
    await show('Which port');
    expect(await panel.count()).toBe(0);
    await page.keyboard.press('Control+J');
    await panel.waitFor();
    await reload(page);
    await page.getByRole('heading', { level: 1, name: 'Which port' }).waitFor();
    await panel.waitFor();
    await ownOnLine();
  });

  it('opens the models and the costs from the items of every other view', async () => {
    const { page } = served;
    await page.keyboard.press('Control+N');
    await items()
      .filter({ hasText: /^Next: / })
      .click();
    await heading('Models').waitFor();
    await items()
      .filter({ hasText: /^This month / })
      .click();
    await heading('Costs').waitFor();
    expect(await items().count()).toBe(2);
  });

  it('says that the machine is offline, leads to what can be reached, and disappears afterwards', async () => {
    await setOffline(true);
    await items()
      .filter({ hasText: /^Offline$/u })
      .click();
    await heading('Models').waitFor();
    await keepScreenshot(served.page, 'status-offline');
    await setOffline(false);
    await items()
      .filter({ hasText: /^Offline$/u })
      .waitFor({ state: 'detached' });
    expect(served.complaints).toEqual([]);
  });

  it('explains by keyboard alone what a lost connection means and what was kept', async () => {
    const { page } = served;
    await served.stopServer();
    const item = items().filter({ hasText: /^Disconnected$/u });
    await item.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Connection lost' });
    await dialog.getByText('Nothing is lost.').waitFor();
    await dialog.getByRole('button', { name: 'Reload page' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'status-lost');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => item.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
