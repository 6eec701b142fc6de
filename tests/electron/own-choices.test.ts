import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;

beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  core.setTime(Date.now() - 3_600_000);
  await fixScene(core);
  await core.client.settings.set({ key: 'routing.numbers', value: { consecutiveFailures: 7 } });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

async function open(title: string): Promise<void> {
  await served.page.locator('[data-session]', { hasText: title }).click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

async function show(name: string): Promise<void> {
  await served.page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
}

describe("the window with a person's own choices", () => {
  it('says whether a model fits before it is fetched, and what will run later by itself', async () => {
    const { page } = served;
    await show('Models');
    const row = page.locator('[data-model$="0.5b-instruct"]');
    await row.getByText('Uses about 2.3 GB').click();
    await row.getByText('Example Card 12: 29 layers, 2.3 GB of 10.5 GB').waitFor();
    await open('Fix the failing date test');
    await page.keyboard.press('Control+4');
    const changes = page.getByRole('tabpanel', { name: 'Changes' });
    await changes.getByText('2 auto-run files changed').waitFor();
    await changes.getByText('vendor/dates/.git').waitFor();
    await changes.getByText('Python runs it automatically').waitFor();
    await page.keyboard.press('Control+5');
    const context = page.getByRole('tabpanel', { name: 'Context' });
    await context.getByText('Model weights').waitFor();
    // The memory shown is for the context that the step ran with, not for the largest context that this machine could
    // hold.
    const [, size] = (await context.innerText()).match(/of ([\d.,k]+) tokens/u) ?? [];
    const granted = context.getByText('Granted', { exact: true }).locator('xpath=..');
    expect(await granted.innerText()).toMatch(new RegExp(`Granted\\s+${size?.replace('.', '\\.')}`, 'u'));
  });

  it('shows the numbers behind the profiles, with those of the person in their place', async () => {
    const { page } = served;
    await show('Settings');
    await page.getByText('Profile numbers').click();
    const table = page.getByRole('table', { name: 'Profile numbers' });
    const row = table.getByRole('row', { name: /Failures in a row before the cloud takes over/u });
    await expect.poll(() => row.getByRole('cell').allInnerTexts()).toEqual(['3', '2', '1', '7']);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'profile-numbers');
    await served.resize(720, 860);
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepScreenshot(page, 'profile-numbers-narrow');
    await page.emulateMedia({ colorScheme: null });
    await served.resize(1360, 860);
  });

  it('finds a setting by its name or by when to change it, and leads to its section', async () => {
    const { page } = served;
    await show('Settings');
    const search = page.getByRole('searchbox', { name: 'Search settings' });
    const sections = page.getByRole('list', { name: 'Sections' });
    const memory = page.getByRole('spinbutton', { name: 'Memory in MB' });
    await page.getByText('All other settings are in the settings file').waitFor();
    expect(await memory.isVisible()).toBe(false);
    await search.fill('Run out of memory');
    await memory.waitFor();
    expect(await sections.getByRole('button').allInnerTexts()).toEqual(['Sandbox']);
    expect(await page.getByLabel('Processes', { exact: true }).isVisible()).toBe(false);
    expect(await page.getByLabel('Theme', { exact: true }).isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    await search.fill('no such thing');
    await page.getByText('No setting matches "no such thing".').waitFor();
    await page.getByRole('button', { name: 'Show all settings' }).click();
    await sections.getByRole('button', { name: 'Disk space' }).click();
    const disk = page.getByRole('region', { name: 'Disk space' });
    await expect.poll(() => disk.evaluate((part) => part === document.activeElement)).toBe(true);
    await expect.poll(() => disk.evaluate((part) => part.getBoundingClientRect().top < window.innerHeight)).toBe(true);
  });

  it('changes the keys of an action, names the action that has them, and restores the usual ones', async () => {
    const { page } = served;
    await show('Settings');
    const change = page.getByRole('button', { name: /^Change shortcut for Costs/u });
    await change.click();
    await page.keyboard.press('Control+K');
    await page.getByText(/ already uses .+\. Choose other keys/u).waitFor();
    await page.keyboard.press('Control+Shift+Y');
    await page.getByRole('button', { name: /^Change shortcut for Costs, now Ctrl\+Shift\+Y/u }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Control+N');
    await page.keyboard.press('Control+Shift+Y');
    await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor();
    await show('Settings');
    await page.getByRole('button', { name: 'Reset all shortcuts' }).click();
    await page.getByRole('button', { name: /^Change shortcut for Costs, now none/u }).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('button', { name: /^Change shortcut for Costs, now Ctrl\+Shift\+Y/u }).waitFor();
  });
});
