import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import {
  answerScene,
  approvalScene,
  endScenes,
  fixScene,
  furnish,
  longScene,
  workingScene,
} from '../fakes/page-scenes.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const folder = process.env.DEWPOINT_PICTURES ?? '';
const day = 24 * 60 * 60 * 1000;

let served: ServedPage;
let core: PageCore;

async function shot(name: string): Promise<void> {
  await served.page.waitForTimeout(250);
  await served.page.screenshot({ path: join(folder, `${name}.png`) });
}

async function open(title: string): Promise<void> {
  await served.page.locator('[data-session]', { hasText: title }).click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

const isWanted = folder !== '';

describe.runIf(isWanted)('pictures', () => {
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    core = createPageCore();
    furnish(core);
    core.setTime(Date.now() - 9 * day);
    await longScene(core);
    core.setTime(Date.now() - 3 * day);
    await endScenes(core);
    core.setTime(Date.now() - day);
    await answerScene(core);
    core.setTime(Date.now() - 600_000);
    await approvalScene(core);
    core.setTime(Date.now() - 300_000);
    const { sessionId, callId } = await workingScene(core);
    core.setTime(Date.now() - 60_000);
    await fixScene(core);
    served = await servePage(core);
    await served.resize(1360, 860);
    core.push(sessionId, { type: 'text-delta', callId, text: '' });
  });
  afterAll(async () => {
    await served?.close();
  });

  it.for(['light', 'dark'] as const)('in %s', async (colorScheme) => {
    const { page } = served;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await open('Fix the failing date test');
    await page.getByRole('button', { name: /^Step 5, cloud/u }).click();
    await shot(`session-${colorScheme}`);
    for (const tab of ['Cost', 'Sandbox', 'Changes', 'Context']) {
      await page.getByRole('tab', { name: tab }).click();
      await shot(`session-${tab.toLowerCase()}-${colorScheme}`);
    }
    await open('Which port');
    await shot(`answer-${colorScheme}`);
    await open('Add a check for empty names');
    await page.waitForTimeout(700);
    await shot(`approval-${colorScheme}`);
    await open('Explain how releases are made');
    await page.getByRole('textbox', { name: 'Message' }).fill('/');
    await shot(`working-${colorScheme}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('');
    await page.keyboard.press('Control+K');
    await page.getByPlaceholder('Search actions').fill('in');
    await shot(`palette-${colorScheme}`);
    await page.keyboard.press('Escape');
    await open('Make the nightly job');
    await shot(`missing-${colorScheme}`);
    await open('Translate the manual');
    await shot(`cap-${colorScheme}`);
    await open('A session of many weeks');
    await shot(`long-${colorScheme}`);
    for (const name of ['Models', 'Settings', 'New task']) {
      await page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
      await shot(`${name.toLowerCase().replace(' ', '-')}-${colorScheme}`);
    }
  });

  it('narrow', async () => {
    const { page } = served;
    await served.resize(390, 780);
    await page.emulateMedia({ colorScheme: 'light' });
    await shot('narrow-new');
    await page.getByRole('button', { name: 'Open the list of sessions' }).click();
    await shot('narrow-list');
    await open('Fix the failing date test');
    await shot('narrow-session');
    await page.getByRole('button', { name: 'Show the inspector' }).click();
    await shot('narrow-inspector');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  });
});

it.runIf(isWanted)('an empty home', async () => {
  const empty = createPageCore();
  furnish(empty);
  empty.models = empty.models.map((model) => ({ ...model, state: 'downloadable', info: null }));
  empty.findings = [
    {
      area: 'sandbox',
      status: 'missing',
      text: 'No container engine was found.',
      hint: 'Install Docker or Podman and start it.',
    },
  ];
  served = await servePage(empty);
  await served.resize(1360, 860);
  await served.page.getByText('Three things').waitFor();
  await shot('first-start');
  await served.close();
});
