import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { startStory } from '../fakes/page-story.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { reload } from './launch.ts';

const core = createPageCore();
let served: ServedPage;

beforeAll(async () => {
  served = await servePage(core);
  // A browser that was not asked for permission yet and grants it. Notifications are kept and can be clicked.
  await served.page.addInitScript(() => {
    class Shown extends EventTarget {
      static permission = 'default';
      static async requestPermission(): Promise<string> {
        Shown.permission = 'granted';
        return 'granted';
      }
      constructor(title: string, options: { body: string }) {
        super();
        const shown: unknown = Reflect.get(window, 'shown') ?? [];
        Reflect.set(window, 'shown', [...(Array.isArray(shown) ? shown : []), [title, options.body, this]]);
      }
      close(): void {
        // The fake has nothing to remove.
      }
    }
    Reflect.set(window, 'Notification', Shown);
  });
  await served.resize(1360, 860);
  await reload(served.page);
});

afterAll(async () => {
  await served?.close();
});

const shown = (): Promise<unknown> =>
  served.page.evaluate(() => {
    const all: unknown = Reflect.get(window, 'shown');
    return Array.isArray(all) ? all.map((one) => [one[0], one[1]]) : [];
  });

/** Clicks a notification as the system reports it. */
const click = (index: number): Promise<void> =>
  served.page.evaluate((at) => {
    const all: unknown = Reflect.get(window, 'shown');
    if (Array.isArray(all)) all[at][2].dispatchEvent(new Event('click'));
  }, index);

const hasFocus = async (locator: Locator): Promise<boolean> =>
  (await locator.count()) > 0 && locator.evaluate((element) => element === document.activeElement);

it('a browser notification tells of a waiting session, and a click puts the focus on its question', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: 'Allow notifications' }).click();
  await page.getByRole('button', { name: 'Allow notifications' }).waitFor({ state: 'detached' });
  const story = await startStory(core, 'A session beside others', null);
  story.ask('Change it.');
  const approval = { toolCallId: 't', kind: 'guarded-file', subject: 'write conftest.py', sha256: 'c'.repeat(64) };
  story.append({ type: 'approval-requested', approvalId: 'a', ...approval });
  await expect.poll(shown).toEqual([['A session beside others', 'Dewpoint is waiting for your answer.']]);
  await click(0);
  const deny = page.getByRole('alertdialog', { name: 'Approval needed' }).getByRole('button', { name: 'Deny' });
  await expect.poll(() => hasFocus(deny)).toBe(true);
  expect(served.complaints).toEqual([]);
});

it('a browser notification leads to the question of a cap, which is answered by keyboard alone', async () => {
  const { page } = served;
  await page.keyboard.press('Control+,');
  const story = await startStory(core, 'A session at its cap', null);
  story.ask('Change it.');
  const sums = { limitUsd: 1, spentUsd: 0.9, heldUsd: 0, worstUsd: 0.4 };
  story.append({
    type: 'cap-reached',
    capId: 'c',
    model: 'example/large-1',
    scope: 'task',
    here: 'script/script',
    ...sums,
  });
  await expect.poll(shown).toContainEqual(['A session at its cap', 'Dewpoint is waiting for your answer.']);
  await click(1);
  const here = page
    .getByRole('alertdialog', { name: 'The next call could exceed your limit' })
    .getByRole('button', { name: 'Continue locally' });
  await expect.poll(() => hasFocus(here)).toBe(true);
  await page.keyboard.press('Enter');
  await here.waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(page.getByRole('textbox', { name: 'Message' }))).toBe(true);
  // No question is open any more. The shortcut finds the next question from any view.
  const cap = {
    type: 'cap-reached',
    capId: 'd',
    model: 'example/large-1',
    scope: 'task',
    here: null,
    ...sums,
  } as const;
  story.append(cap);
  const stop = page.getByRole('button', { name: 'Stop here', exact: true });
  await stop.waitFor();
  await page.keyboard.press('Control+Shift+A');
  await expect.poll(() => hasFocus(stop)).toBe(true);
  expect(served.complaints).toEqual([]);
});
