import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

let served: ServedPage;
let sessions: Readonly<Record<string, string>>;

beforeAll(async () => {
  const core = createPageCore();
  sessions = await furnishEveryView(core);
  served = await servePage(core);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

/** The elements that are wholly visible: nothing lies over their corners, and no edge cuts them. */
async function wholeOnes(selector: string): Promise<readonly string[]> {
  return served.page.evaluate(
    (wanted) =>
      [...document.querySelectorAll(wanted)].flatMap((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const corners = [
          [left + 2, top + 2],
          [right - 2, bottom - 2],
        ] as const;
        const isWhole = corners.every(([x, y]) => {
          const found = document.elementFromPoint(x, y);
          return found !== null && one.contains(found);
        });
        return isWhole ? [one.textContent] : [];
      }),
    selector,
  );
}

/** Catches: a tab that is cut off at the usual width, and a panel over the conversation that Escape leaves there. */
it('the inspector shows all its tabs at the usual width, and Escape takes it off the conversation', async () => {
  const { page } = served;
  const { ways } = viewWays(page, sessions);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await served.resize(1360, 860);
  await ways.changes();
  await expect
    .poll(() => wholeOnes('aside [role=tab]'))
    .toEqual(['Route', 'Cost', 'Sandbox', 'Changes2', 'Context', 'Preview']);
  await inspector.getByRole('button', { name: 'Use the full width' }).click();
  await page.keyboard.press('Escape');
  await inspector.getByRole('button', { name: 'Use the full width' }).waitFor();
  await served.resize(900, 700);
  await ways.changes();
  await page.keyboard.press('Escape');
  await inspector.waitFor({ state: 'detached' });
});

/** Catches: a list that has room for a handful of sessions, and an open session that lies outside of what is shown. */
it('the session list leaves room for sessions in a low window, and shows the one that is open', async () => {
  const { page } = served;
  const { ways, openSession } = viewWays(page, sessions);
  await served.resize(900, 700);
  await ways.new();
  const rows = await wholeOnes('nav [data-session]');
  expect(rows.length).toBeGreaterThanOrEqual(5);
  expect(rows.join()).not.toContain('A session of many weeks');
  await openSession('long', 'A session of many weeks');
  await expect.poll(async () => (await wholeOnes('nav [data-session]')).join()).toContain('A session of many weeks');
  expect(served.complaints).toEqual([]);
});
