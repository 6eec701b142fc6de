import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

/** A person restores a session to an earlier message, from the window. */
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

const lastAsked = (name: string) => core.asked.findLast((one) => one.name === name)?.args;

describe('a restore to a message', () => {
  it('says first what happens to each file, and can be undone', async () => {
    const { page } = served;
    const { ways } = viewWays(page, sessions);
    await ways.restore();
    const dialog = page.getByRole('dialog', { name: 'Restore to here' });
    await dialog.getByText('1 of them keeps your later edits.').waitFor();
    await dialog.getByText('src/config.ts').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
      await keepScreenshot(page, `restore-${colorScheme}`);
      expect(await violations(page)).toEqual([]);
    }
    expect(lastAsked('restore')).toBeUndefined();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('Restored. 1 file stayed as it was.').waitFor();
    await keepScreenshot(page, 'restore-done');
    await page.getByRole('status').getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => lastAsked('restore')).toEqual(['restore-9']);
  });

  it('folds the turns that left the conversation, and has a line with Undo', async () => {
    const { page } = served;
    const sessionId = sessions['answer'] ?? '';
    const [message] = (await core.client.sessions.show({ sessionId })).state.messages;
    const upToSeq = (message?.seq ?? 1) - 1;
    const about = { checkpoint: message?.messageId ?? '', upToSeq, cutTurnId: null };
    core.append(sessionId, { type: 'restore-began', ...about, files: true, conversation: true });
    const { seq } = (await core.client.sessions.show({ sessionId })).state;
    const lists = { restored: ['a.ts'], merged: [], kept: [] };
    core.append(sessionId, { type: 'restore-ended', beganSeq: seq, outcome: 'done', ...lists });
    await page.getByText('You restored files and conversation. 1 file was set back.').waitFor();
    await page.getByText(/no longer in the conversation\.$/u).waitFor();
    await keepScreenshot(page, 'restore-line');
    expect(await violations(page)).toEqual([]);
    const log = page.getByRole('log');
    expect(await log.getByRole('article').count()).toBe(0);
    await log.getByRole('button', { name: 'Show', exact: true }).click();
    await log.getByRole('article').first().waitFor();
    await log.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => lastAsked('restore')).toEqual([`restore-${seq}`]);
  });
});
