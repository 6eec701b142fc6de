import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { receiptOf } from '../fakes/receipt-scene.ts';
import { keepLooks } from './keep-looks.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { openActions, reload } from './launch.ts';

let served: ServedPage;
let core: PageCore;
let sessionId = '';

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  ({ sessionId } = await fixScene(core));
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const title = 'What left this machine';

/** Opens the receipt of this month by keyboard, once more from another view. */
async function open(): Promise<void> {
  const { page } = served;
  for (const [typed, heading] of [
    ['Costs', 'Costs'],
    [title, title],
  ] as const) {
    await (await openActions(page)).fill(typed);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
}

describe('the page of what left this machine', () => {
  it('says first how much went to how many hosts, then to whom, why and which files', async () => {
    const { page } = served;
    await open();
    await page.getByRole('region', { name: '3 hosts got 6.0 kB' }).waitFor();
    const whom = page.getByRole('region', { name: 'To whom' });
    expect(await whom.locator('[data-seen=hidden]').innerText()).toBe('U+202E');
    expect(await whom.locator('[data-seen=alike]').innerText()).toBe('\u0430');
    await whom.getByText('The same edit was rejected twice').waitFor();
    await whom.getByText('2 files were in it').click();
    await whom.getByText('src/dates.py').waitFor();
    await page.getByRole('region', { name: 'Could have left and did not' }).getByText('customers/**').waitFor();
    await page.getByText('Inside this machine').click();
    await page.getByText('None of it left.').waitFor();
    await keepLooks(served, 'receipt-counted');
  });

  it('says in the browser that only the app signs, and how a terminal does', async () => {
    const { page } = served;
    const info = () => ({ isWindow: false, refused: ['receipts.sign'], roots: [] });
    const restore = core.replace({ host: { info } });
    await reload(page);
    await page.getByRole('button', { name: 'New task', exact: true }).waitFor();
    await open();
    await page.getByText('dewpoint receipt --file FILE').waitFor();
    expect(await page.getByRole('button', { name: 'Save signed file' }).count()).toBe(0);
    restore();
    await reload(page);
    await page.getByRole('button', { name: 'New task', exact: true }).waitFor();
  });

  it('says that nothing left only where that is sure', async () => {
    const { page } = served;
    const restore = core.replace({ receipts: { show: () => receiptOf(0, { kept: [] }) } });
    await open();
    await page.getByRole('region', { name: 'Nothing left', exact: true }).waitFor();
    await keepLooks(served, 'receipt-nothing');
    restore();
    const uncounted = [{ name: 'docker pull', count: 2 }];
    const again = core.replace({ receipts: { show: () => receiptOf(0, { verdict: 'not-all', uncounted }) } });
    await open();
    await page.getByRole('region', { name: 'Nobody knows whether something left' }).waitFor();
    await page.getByText('docker pull').waitFor();
    expect(await page.getByText('Nothing left').count()).toBe(0);
    await keepLooks(served, 'receipt-not-all');
    again();
  });

  it('shows 200 hosts in parts, and what went wrong with a way to try again', async () => {
    const { page } = served;
    const restore = core.replace({ receipts: { show: () => receiptOf(200) } });
    await open();
    const rows = page.getByRole('region', { name: 'To whom' }).locator('ul').first().locator('> li');
    await page.getByRole('region', { name: '200 hosts got 20 MB' }).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole('button', { name: '150 more' }).click();
    expect(await rows.count()).toBe(100);
    await keepLooks(served, 'receipt-long');
    restore();
    const fail = core.replace({
      receipts: {
        show: () => {
          throw new AppError('refused', 'The record cannot be read.');
        },
      },
    });
    await open();
    await page.getByRole('alert').getByText('The record cannot be read.').waitFor();
    await keepLooks(served, 'receipt-error');
    fail();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: '3 hosts got 6.0 kB' }).waitFor();
  });

  it('is opened for a session from its costs, and for a project from its page', async () => {
    const { page } = served;
    await page.locator(`[data-session="${sessionId}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Fix the failing date test' }).waitFor();
    await page.keyboard.press('Control+2');
    await page
      .getByRole('tabpanel', { name: 'Cost' })
      .getByRole('button', { name: 'What left in this session' })
      .click();
    await page.getByText('The session “Fix the failing date test”').waitFor();
    await reload(page);
    await page.getByText('The session “Fix the failing date test”').waitFor();
  });
});
