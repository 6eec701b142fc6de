import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish, longScene } from '../fakes/page-scenes.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const turns = 90;
const core = createPageCore();
let served: ServedPage;
let sessionId: string;

beforeAll(async () => {
  furnish(core);
  ({ sessionId } = await longScene(core, turns));
  served = await servePage(core);
  await served.resize(1280, 820);
});

afterAll(async () => {
  await served?.close();
});

const open = async (): Promise<void> => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('log').waitFor({ state: 'detached' });
  await page.locator('[data-session]', { hasText: 'many weeks' }).click();
  await page.getByText(`Answer ${turns}.`).waitFor();
};

describe('a session with more than its fold keeps', () => {
  it('can be read from its first message by scrolling up, and the text stays in place', async () => {
    const { page } = served;
    const { state } = await core.client.sessions.show({ sessionId });
    // Otherwise the page would have nothing to load.
    expect(state.totals.steps).toBeGreaterThan(state.steps.length);
    await open();
    const seen = await page.evaluate(
      () =>
        new Promise<readonly number[]>((resolve) => {
          const log = document.querySelector('[role=log]');
          const found: number[] = [];
          const step = (): void => {
            for (const article of document.querySelectorAll('[role=log] article')) {
              const number = Number(/Message (\d+):/u.exec(article.textContent ?? '')?.[1]);
              if (!found.includes(number)) found.push(number);
            }
            if (log === null || found.includes(1)) return resolve(found);
            log.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 }));
            log.scrollTop -= 400;
            requestAnimationFrame(step);
          };
          step();
        }),
    );
    expect(seen.toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: turns }, (_, index) => index + 1),
    );
    await page.getByText('earlier turns').waitFor({ state: 'detached' });
  });

  it('shows a place that was found far back, and lets the reader go on from there', async () => {
    const { page } = served;
    await open();
    const part = await core.client.sessions.history({ sessionId, place: { before: 400 } });
    const turn = part?.turns[5];
    const messageId = turn?.messageId ?? '';
    core.found.set('far back', [
      {
        sessionId,
        title: 'Long',
        projectPath: null,
        kind: 'message',
        ref: messageId,
        seq: turn?.seq ?? 1,
        at: 1,
        snippet: { before: 'it is ', match: 'far back', after: '' },
      },
    ]);
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('far back');
    await page.getByRole('button', { name: 'it is far back' }).click();
    const row = page.locator(`#row-${messageId}`);
    await row.waitFor();
    await expect.poll(() => row.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByText('Message 6:').waitFor();
    // The row comes into view a moment later. A user who types again before that keeps the focus.
    const search = page.getByRole('searchbox', { name: 'Search sessions' });
    await page.evaluate(() => {
      document.querySelector('[role=log]')?.scrollTo({ top: 0 });
      [...document.querySelectorAll('button')].find((one) => one.textContent.includes('it is far back'))?.click();
      document.querySelector<HTMLElement>('#search-sessions')?.focus();
    });
    await expect.poll(() => isInView(row)).toBe(true);
    await page.evaluate(() => new Promise((resolve) => void setTimeout(resolve, 300)));
    expect(await search.evaluate((element) => element === document.activeElement)).toBe(true);
    await search.fill('');
    await expect.poll(() => scrollDownTo(`Answer ${turns}.`), { interval: 20 }).toBe(true);
  });
});

function isInView(row: Locator): Promise<boolean> {
  return row.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  });
}

/** Scrolls a bit further down. Returns whether the text is drawn now. */
async function scrollDownTo(text: string): Promise<boolean> {
  return served.page.evaluate((wanted) => {
    const log = document.querySelector('[role=log]');
    log?.scrollBy({ top: 600 });
    return log?.textContent?.includes(wanted) ?? false;
  }, text);
}
