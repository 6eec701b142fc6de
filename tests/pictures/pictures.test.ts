import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { allViews } from '../../src/renderer/lib/window/all-views.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import type { ServedPage } from '../electron/page-kit.ts';
import { servePage } from '../electron/page-kit.ts';
import { furnishEveryView, viewWays } from '../electron/view-ways.ts';

const folder = process.env.DEWPOINT_PICTURES ?? join(tmpdir(), 'dewpoint-pictures');
const wide = [1360, 860] as const;
const narrow = [390, 780] as const;
const names = Object.keys(allViews).filter((name): name is keyof typeof allViews => name in allViews);

let served: ServedPage;

/** As WebP: a page of text in a quarter of the bytes. */
async function shot(name: string): Promise<void> {
  const { page } = served;
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(400);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 76 });
  await session.detach();
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}

async function start(core: PageCore, size: readonly [number, number], colorScheme: 'light' | 'dark'): Promise<void> {
  mkdirSync(folder, { recursive: true });
  served = await servePage(core);
  await served.resize(...size);
  await served.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
}

describe('the pictures of the app', { timeout: 240_000 }, () => {
  afterEach(async () => {
    await served?.close();
  });

  it.for([
    ['light', wide, 'light'],
    ['dark', wide, 'dark'],
    ['narrow', narrow, 'light'],
  ] as const)('are drawn of every view, %s', async ([suffix, size, look]) => {
    const core = createPageCore();
    const sessions = await furnishEveryView(core, 60);
    await start(core, size, look);
    const { page } = served;
    const { ways, waysBack, openSession } = viewWays(page, sessions);
    for (const name of names) {
      // Questions are shown beside what decided where their step runs.
      if (name === 'failure') await ways.route();
      if (name === 'palette') await openSession('fix', 'Fix the failing date test');
      await ways[name]();
      // Of the session that is gone through by its texts the one is shown that says most.
      if (name === 'session') {
        await shot(`long-${suffix}`);
        await openSession('fix', 'Fix the failing date test');
        await page.getByRole('button', { name: /^Step 5, cloud/u }).click();
      }
      // Answers are taken half a second after a question has come.
      if (name === 'approval') await page.waitForTimeout(600);
      await shot(`${name}-${suffix}`);
      await waysBack[name]?.();
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  });

  it('are drawn of an answer that is being written, with the list of commands', async () => {
    const core = createPageCore();
    const sessions = await furnishEveryView(core);
    await start(core, wide, 'light');
    const { openSession } = viewWays(served.page, sessions);
    await openSession('working', 'Explain how releases are made');
    const sessionId = sessions.working ?? '';
    const { state } = await core.client.sessions.show({ sessionId });
    const text =
      'Releases are made by `scripts/release.sh`, which does three things:\n\n1. it reads the version from **VERSION**\n2. it';
    core.push(sessionId, { type: 'text-delta', callId: state.steps.at(-1)?.callId ?? '', text });
    await shot('working-light');
    await served.page.getByRole('textbox', { name: 'Message' }).fill('/');
    await shot('commands-light');
  });

  it('are drawn of an empty home', async () => {
    const core = createPageCore();
    furnish(core);
    core.models = core.models
      .filter(({ where }) => where === 'local')
      .map(({ file: _here, ...model }) => ({ ...model, state: 'downloadable' as const, info: null }));
    core.costRows = [];
    core.keys = { ...core.keys, keys: [] };
    const hint = 'Install Docker or Podman and start it.';
    core.findings = [{ area: 'sandbox', status: 'missing', text: 'No container engine was found.', hint }];
    await start(core, wide, 'light');
    const { ways } = viewWays(served.page, {});
    await served.page.getByRole('region', { name: 'Get started' }).waitFor();
    for (const name of ['new', 'models', 'compare', 'costs', 'bin'] as const) {
      await ways[name]();
      await shot(`${name}-empty`);
    }
  });

  it('are drawn of a window that has lost its core', async () => {
    const core = createPageCore();
    const sessions = await furnishEveryView(core);
    await start(core, wide, 'light');
    await viewWays(served.page, sessions).openSession('answer', 'Which port');
    await served.page.locator('code', { hasText: 'config/default.toml' }).waitFor();
    await served.stopServer();
    await served.page.getByText('Connection lost').waitFor();
    await shot('session-offline');
  });
});
