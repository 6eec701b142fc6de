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
  const rows = (): Promise<readonly string[]> => wholeOnes('nav [data-session]');
  await expect.poll(async () => (await rows()).length).toBeGreaterThanOrEqual(5);
  expect((await rows()).join()).not.toContain('A session of many weeks');
  await openSession('long', 'A session of many weeks');
  await expect.poll(async () => (await wholeOnes('nav [data-session]')).join()).toContain('A session of many weeks');
  expect(served.complaints).toEqual([]);
});

/** Catches: controls below a message that lie over each other or hide the model's name while Stop needs the room. */
it('the row below a message shows the model by its whole name, and no control lies over another', async () => {
  const { page } = served;
  const { openSession } = viewWays(page, sessions);
  for (const [name, title] of [
    ['working', 'Explain how releases'],
    ['fix', 'Fix the failing date test'],
  ] as const) {
    for (const [width, height] of [
      [1360, 860],
      [900, 700],
    ] as const) {
      await served.resize(width, height);
      await openSession(name, title);
      const row = page.locator('form', { has: page.getByRole('textbox', { name: 'Message' }) });
      await row.getByRole('button', { name: /^Model: / }).waitFor();
      const wrong = (): Promise<readonly string[]> =>
        row.evaluate((form) => {
          const all = [...form.querySelectorAll('button, select')].filter((one) => one.getClientRects().length > 0);
          const boxes = all.map((one) => one.getBoundingClientRect());
          const over = boxes.flatMap((box, at) =>
            boxes
              .slice(at + 1)
              .filter((other) => box.right > other.left + 1 && other.right > box.left + 1)
              .filter((other) => box.bottom > other.top + 1 && other.bottom > box.top + 1)
              .map(() => `${all[at]?.getAttribute('aria-label') ?? all[at]?.textContent ?? ''} is covered`),
          );
          const label = form.querySelector('[aria-label^="Model: "] .truncate');
          const isCut = label === null || label.scrollWidth > label.clientWidth;
          return [...over, ...(isCut ? [`${label?.textContent ?? 'no name'} is cut`] : [])];
        });
      await expect.poll(async () => [name, width, await wrong()]).toEqual([name, width, []]);
    }
  }
});

const areSame = (edges: readonly (readonly number[])[]): boolean => new Set(edges.map(String)).size === 1;

/** Catches: edges of the conversation, of questions and of the message that differ by the width of a scrollbar. */
it('the message, a question and the conversation above have the same edges', async () => {
  const { page } = served;
  const { openSession, ways } = viewWays(page, sessions);
  const edgesOf = (selector: string) =>
    page
      .locator(selector)
      .last()
      .evaluate((one) => {
        const { left, right } = one.getBoundingClientRect();
        return [Math.round(left), Math.round(right)];
      });
  for (const width of [1360, 900]) {
    await served.resize(width, 860);
    await ways.cap();
    const field = () => edgesOf('main form > div > div:has(textarea)');
    await expect.poll(async () => [await edgesOf('main [role=alertdialog]'), await field()]).toSatisfy(areSame);
    await openSession('fix', 'Fix the failing date test');
    await page.getByRole('log').locator('[data-outcome]').last().waitFor();
    await expect.poll(async () => [await edgesOf('[role=log] [data-outcome]'), await field()]).toSatisfy(areSame);
  }
});

/** Catches: a dialog of the list that closes, with what was typed, because the window got too narrow for the list. */
it('a dialog for a new project stays open with its words when the window gets narrow', async () => {
  const { page } = served;
  const { ways, waysBack } = viewWays(page, sessions);
  await served.resize(1360, 860);
  await ways['new-project']();
  const name = page.getByRole('dialog', { name: 'New project' }).getByLabel('Name');
  await name.fill('Book club');
  await served.resize(480, 860);
  await page.getByRole('button', { name: 'Open session list', includeHidden: true }).waitFor({ state: 'attached' });
  expect(await name.inputValue()).toBe('Book club');
  await waysBack['new-project']?.();
  await served.resize(1360, 860);
});
