import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { furnishStress } from '../fakes/stress-scenes.ts';
import { openActions, openWork } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;

beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  await furnishStress(core);
  core.replace({
    attachments: {
      keep: ({ input: { name, data } }) => ({
        kind: 'text',
        name,
        blob: { sha256: 'a'.repeat(64), bytes: data.length },
      }),
    },
  });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

/** Opens a session, even if it is far down the list. */
async function open(title: string): Promise<void> {
  const { page } = served;
  await (await openActions(page)).fill(title);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** The number of drawn elements stays small, however much data there is. `bench -- window` measures the time. */
async function expectFewElements(): Promise<void> {
  expect(await served.page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(5000);
}

const inspector = () => served.page.getByRole('tabpanel', { name: 'Changes' });

describe('a very large amount', () => {
  it('of sessions and projects is shown from its beginning, and the rest can be shown or found', async () => {
    const { page } = served;
    await page.locator('[data-session]').first().waitFor();
    expect(await page.locator('[data-session]').count()).toBe(100);
    await expectFewElements();
    await page.getByRole('button', { name: '1907 more' }).click();
    expect(await page.locator('[data-session]').count()).toBe(200);
    await page.getByRole('button', { name: '196 more' }).click();
    expect(await page.getByRole('region', { name: 'Projects' }).getByRole('listitem').count()).toBe(12);
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('p3');
    await page.getByRole('button', { name: 'p3', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('');
    await open('Session 0003 about');
  });

  it('of lines in a diff is drawn only near the view, down to the last line', async () => {
    const { page } = served;
    await open('A diff of 20,000');
    await page.keyboard.press('Control+4');
    await inspector().getByText('line 0 of table.csv', { exact: true }).waitFor();
    await expectFewElements();
    const last = inspector().getByText('line 19999 of table.csv', { exact: true });
    // Heights become known only as lines are drawn, so the end moves a little while scrolling there.
    await expect
      .poll(async () => {
        await inspector()
          .locator('[data-change] [tabindex="0"]')
          .evaluate((view) => view.scrollTo({ top: view.scrollHeight }));
        return last.isVisible();
      })
      .toBe(true);
    await expectFewElements();
  });

  it('of changed files is shown from its beginning, each closed until it is opened', async () => {
    const { page } = served;
    await open('A change of 3,000');
    await inspector().getByText('src/part-1/file-1.ts').waitFor();
    expect(await inspector().locator('[data-change]').count()).toBe(100);
    await expectFewElements();
    await inspector().getByRole('button', { name: 'src/part-1/file-1.ts' }).click();
    await inspector().getByText('line 3 of src/part-1/file-1.ts').waitFor();
    await page.getByRole('button', { name: '2900 more' }).click();
    expect(await inspector().locator('[data-change]').count()).toBe(200);
  });

  it('of output, of a message or of code opens in its own view', async () => {
    const { page } = served;
    await open('Output without an end');
    await openWork(page);
    await page
      .getByRole('button', { name: /one line/u })
      .last()
      .click();
    await page.getByText('0123456789').first().waitFor();
    await page
      .getByRole('button', { name: /many lines/u })
      .last()
      .click();
    await page.getByRole('button', { name: 'Show 19940 earlier lines' }).click();
    await page.getByText('line 0', { exact: true }).waitFor();
    await expectFewElements();
    await open('A message of a megabyte');
    await page.getByRole('button', { name: 'Show full message' }).click();
    await page.getByText('000030 words').waitFor();
    await expectFewElements();
    await open('Code of 10,000');
    await page.getByRole('button', { name: 'Show 9960 more lines' }).click();
    await page.getByText('const value45 =').waitFor();
    await page.getByText('That is all.').waitFor();
    await expectFewElements();
    await open('A table of 500');
    await page.getByText('| c0 | c1').first().waitFor();
    await page.getByText('That is all.').waitFor();
    await expectFewElements();
  });

  it('of pasted text is attached as a file', async () => {
    const { page } = served;
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.evaluate((element) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'word '.repeat(10_000));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.getByRole('button', { name: 'Remove pasted.txt' }).click();
    expect(await field.inputValue()).toBe('');
  });
});

it('the page shows hidden characters in a name, and each script in its own direction', async () => {
  const { page } = served;
  await open('Words of many scripts');
  await page.getByRole('heading', { level: 1, name: '<U+202E>gnp.exe<U+202C>' }).waitFor();
  await page.getByRole('log').getByText('src/<U+202E>cod.exe<U+202C>').first().waitFor();
  await inspector().getByText('<U+202E>cod.exe<U+202C>').first().waitFor();
  const directions = await page
    .locator('[data-outcome] li')
    .evaluateAll((items) => items.map((item) => getComputedStyle(item).direction));
  expect(directions).toEqual(['rtl', 'rtl']);
});

it('the page asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
