import type { Page } from 'playwright-core';
import { createPageCore } from '../../tests/fakes/page-core.ts';
import { furnish } from '../../tests/fakes/page-scenes.ts';
import { furnishStress } from '../../tests/fakes/stress-scenes.ts';
import { servePage } from '../../tests/electron/page-kit.ts';
import type { BenchRow } from './rows.ts';

/** For user actions on more content than a window can draw: the longest time in which the page does not respond. */
export async function stressRows(): Promise<readonly BenchRow[]> {
  const core = createPageCore();
  furnish(core);
  await furnishStress(core);
  const served = await servePage(core);
  const { page } = served;
  const rows: BenchRow[] = [];
  const measure = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await page.evaluate(() => Reflect.set(window, 'benchGap', 0));
    await work();
    // Content that arrives and is drawn afterwards counts, too.
    await page.waitForTimeout(1500);
    const gap = await page.evaluate(() => Number(Reflect.get(window, 'benchGap')));
    rows.push({
      figure: what,
      value: gap,
      unit: 'ms',
      target: { atMost: 100 },
      note: 'longest time without an answer',
    });
  };
  const open = async (title: string): Promise<void> => {
    await page.keyboard.press('Control+K');
    await page.getByPlaceholder('Search actions').fill(title);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  };
  const search = page.getByRole('searchbox', { name: 'Search sessions' });
  try {
    await served.resize(1360, 860);
    await page.locator('[data-session]').first().waitFor();
    await watchGaps(page);
    // The first session loads what all others need.
    await open('Words of many scripts');
    await page.waitForTimeout(2000);
    await measure('a list of 2,000 sessions of 200 projects, read again', () => page.waitForTimeout(5000));
    await measure('a search in it', () => search.fill('Session 19'));
    await search.fill('');
    await measure('a session with a change of 20,000 lines', () => open('A diff of 20,000'));
    await measure('that change shown', () => page.keyboard.press('Control+4'));
    await measure('a change of 3,000 files shown', () => open('A change of 3,000'));
    await open('Output without an end');
    await measure('a line of 1 MiB printed, opened', () =>
      page
        .getByRole('button', { name: /one line/u })
        .last()
        .click(),
    );
    await measure('20,000 lines printed, opened', () =>
      page
        .getByRole('button', { name: /many lines/u })
        .last()
        .click(),
    );
    await measure('a message of 1 MB', () => open('A message of a megabyte'));
    await measure('all of it', () => page.getByRole('button', { name: 'Show full message' }).click());
    await measure('a table of 500 columns and 60 rows', () => open('A table of 500'));
    await measure('a block of code of 10,000 lines', () => open('Code of 10,000'));
    await measure('all of it', () => page.getByRole('button', { name: /more lines/u }).click());
    await measure('1 MB pasted into the field', () => pasteMegabyte(page));
    return rows;
  } finally {
    await served.close();
  }
}

/** Stores the longest time between two turns of the page's event loop in `benchGap`. */
async function watchGaps(page: Page): Promise<void> {
  await page.evaluate(() => {
    let last = performance.now();
    const channel = new MessageChannel();
    channel.port1.addEventListener('message', () => {
      const now = performance.now();
      Reflect.set(window, 'benchGap', Math.max(Number(Reflect.get(window, 'benchGap') ?? 0), now - last));
      last = now;
      setTimeout(() => channel.port2.postMessage(null), 2);
    });
    channel.port1.start();
    channel.port2.postMessage(null);
  });
}

function pasteMegabyte(page: Page): Promise<void> {
  return page.getByRole('textbox', { name: 'Message' }).evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'word '.repeat(200_000));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
}
