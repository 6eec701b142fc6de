import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import {
  answerScene,
  approvalScene,
  capScene,
  endScenes,
  fixScene,
  furnish,
  longScene,
  workingScene,
} from '../fakes/page-scenes.ts';
import type { ServedPage } from '../electron/page-kit.ts';
import { servePage } from '../electron/page-kit.ts';

const folder = process.env.DEWPOINT_PICTURES ?? join(tmpdir(), 'dewpoint-pictures');
const day = 24 * 60 * 60 * 1000;
const wide = [1360, 860] as const;

let served: ServedPage;

async function shot(name: string): Promise<void> {
  await served.page.waitForTimeout(200);
  await served.page.screenshot({ path: join(folder, `${name}.png`) });
}

async function open(title: string): Promise<void> {
  await served.page.locator('[data-session]', { hasText: title }).click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

async function inspect(tab: string): Promise<void> {
  await served.page.getByRole('tab', { name: tab }).click();
}

async function show(name: string): Promise<void> {
  await served.page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
}

async function startWide(colorScheme: 'light' | 'dark', core: ReturnType<typeof createPageCore>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  served = await servePage(core);
  await served.resize(...wide);
  await served.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
}

/** A home that has been in use for a while. */
async function usedHome(): Promise<{ readonly core: ReturnType<typeof createPageCore>; readonly speak: () => void }> {
  const core = createPageCore();
  furnish(core);
  core.setTime(Date.now() - 9 * day);
  await longScene(core);
  core.setTime(Date.now() - 3 * day);
  await endScenes(core);
  core.setTime(Date.now() - day);
  await answerScene(core);
  core.setTime(Date.now() - 600_000);
  await approvalScene(core);
  await capScene(core);
  core.setTime(Date.now() - 300_000);
  const { sessionId, callId } = await workingScene(core);
  core.setTime(Date.now() - 60_000);
  await fixScene(core);
  const text =
    'Releases are made by `scripts/release.sh`, which does three things:\n\n1. it reads the version from **VERSION**\n2. it';
  const speak = (): void => core.push(sessionId, { type: 'text-delta', callId, text });
  return { core, speak };
}

describe('pictures', { timeout: 180_000 }, () => {
  afterEach(async () => {
    await served?.close();
  });

  it.for(['light', 'dark'] as const)('of a home in use, %s', async (look) => {
    const { core, speak } = await usedHome();
    await startWide(look, core);
    const { page } = served;
    await open('Fix the failing date test');
    await page.getByRole('button', { name: /^Step 5, cloud/u }).click();
    await shot(`session-${look}`);
    for (const tab of ['Cost', 'Sandbox', 'Context', 'Changes']) {
      await inspect(tab);
      await shot(`${tab.toLowerCase()}-${look}`);
    }
    await inspect('Route');
    await open('Which port');
    await shot(`answer-${look}`);
    await open('Add a check for empty names');
    await page.waitForTimeout(600);
    await shot(`approval-${look}`);
    await open('Explain how releases are made');
    speak();
    await page.getByRole('textbox', { name: 'Message' }).fill('/');
    await shot(`working-${look}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('');
    await open('Make the nightly job');
    await shot(`error-${look}`);
    await open('Rewrite the importer');
    await shot(`cap-${look}`);
    await open('A session of many weeks');
    await shot(`long-${look}`);
    for (const name of ['Models', 'Costs', 'Settings', 'New task']) {
      await show(name);
      await shot(`${name.toLowerCase().replace(' ', '-')}-${look}`);
    }
    await page.keyboard.press('Control+K');
    await page.getByPlaceholder('Search actions').fill('test');
    await shot(`palette-${look}`);
  });

  it('of a narrow window', async () => {
    const { core } = await usedHome();
    await startWide('light', core);
    const { page } = served;
    await served.resize(390, 780);
    await shot('narrow-new-task');
    await page.getByRole('button', { name: 'Open the list of sessions' }).click();
    await shot('narrow-list');
    await open('Fix the failing date test');
    // Drawn by what is fetched when a text is first shown.
    await page.locator('code', { hasText: 'week_of' }).last().waitFor();
    await shot('narrow-session');
    await page.getByRole('button', { name: 'Show the inspector' }).click();
    await inspect('Changes');
    await shot('narrow-changes');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  });

  it('of an empty home', async () => {
    const core = createPageCore();
    furnish(core);
    core.models = core.models.map((model) => ({ ...model, state: 'downloadable', info: null }));
    const hint = 'Install Docker or Podman and start it.';
    core.findings = [{ area: 'sandbox', status: 'missing', text: 'No container engine was found.', hint }];
    await startWide('light', core);
    await served.page.getByText('Three things').waitFor();
    await shot('empty-light');
  });

  it('of a window that has lost its core', async () => {
    const { core } = await usedHome();
    await startWide('light', core);
    await open('Which port');
    await served.page.locator('code', { hasText: 'config/default.toml' }).waitFor();
    await served.stopServer();
    await served.page.getByText('The connection to Dewpoint is gone').waitFor();
    await shot('offline-light');
  });
});
