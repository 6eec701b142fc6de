import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { startStory } from '../fakes/page-story.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const core = createPageCore();
let served: ServedPage;

beforeAll(async () => {
  served = await servePage(core);
  // A browser in which nobody has been asked yet, and says yes; what is shown is kept and can be clicked.
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
        // There is nothing to take away.
      }
    }
    Reflect.set(window, 'Notification', Shown);
  });
  await served.resize(1360, 860);
  await served.page.reload();
});

afterAll(async () => {
  await served?.close();
});

const shown = (): Promise<unknown> =>
  served.page.evaluate(() => {
    const all: unknown = Reflect.get(window, 'shown');
    return Array.isArray(all) ? all.map((one) => [one[0], one[1]]) : [];
  });

it('tells of a session that waits once the browser allows it, and a click puts the focus on its question', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: 'Allow notifications in this browser' }).click();
  await page.getByRole('button', { name: 'Allow notifications in this browser' }).waitFor({ state: 'detached' });
  const story = await startStory(core, 'A session beside others', null);
  story.ask('Change it.');
  const approval = { toolCallId: 't', kind: 'guarded-file', subject: 'write conftest.py', sha256: 'c'.repeat(64) };
  story.append({ type: 'approval-requested', approvalId: 'a', ...approval });
  await expect.poll(shown, { timeout: 20_000 }).toEqual([['A session beside others', 'It waits for your answer.']]);
  await page.evaluate(() => {
    const all: unknown = Reflect.get(window, 'shown');
    if (Array.isArray(all)) all[0][2].dispatchEvent(new Event('click'));
  });
  const deny = page.getByRole('alertdialog', { name: 'Approval needed' }).getByRole('button', { name: 'Deny' });
  await deny.waitFor();
  await expect.poll(() => deny.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(served.complaints).toEqual([]);
});
