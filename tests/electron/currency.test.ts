import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownWays } from '../fakes/made-outcomes.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { keepLooks } from './keep-looks.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

/** Catches: a rate that is kept for another currency, and a sum in it where the core has none. */
let core: PageCore;
let served: ServedPage;
let sessions: Readonly<Record<string, string>>;

beforeAll(async () => {
  core = createPageCore();
  sessions = await furnishEveryView(core);
  core.expected = knownWays;
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

async function show(name: string): Promise<void> {
  await served.page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
}

const kept = (): unknown => core.settings['money'];

describe('the window with an own currency', () => {
  it('finds the setting by what people call it, and saves a code only with its rate, by keyboard', async () => {
    const { page } = served;
    await show('Settings');
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('exchange rate');
    const code = page.getByRole('textbox', { name: 'Currency code' });
    await code.focus();
    await page.keyboard.type('eur');
    await page.keyboard.press('Tab');
    const rate = page.getByRole('spinbutton', { name: '1 US dollar in this currency' });
    await rate.waitFor();
    expect(kept()).toBeUndefined();
    await rate.focus();
    await page.keyboard.type('0.92');
    await page.keyboard.press('Enter');
    await expect.poll(kept).toEqual({ currency: { code: 'EUR', perUsd: 0.92 } });
    await keepLooks(served, 'currency-setting');
    // The rate of the euro is not one of the yen.
    await code.fill('JPY');
    await code.press('Enter');
    await expect.poll(() => rate.inputValue()).toBe('');
    expect(kept()).toEqual({ currency: { code: 'EUR', perUsd: 0.92 } });
    await code.fill('EUR');
    await code.press('Enter');
    await expect.poll(() => rate.inputValue()).toBe('0.92');
  });

  it('takes and shows the price of electricity in it, names the rate, and keeps dollars', async () => {
    const { page } = served;
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('kilowatt');
    const price = page.getByRole('spinbutton', { name: 'Price per kilowatt-hour' });
    await price.waitFor();
    await page.getByText('In EUR, at your rate: 1 US dollar = 0.92 EUR. Set it to include electricity').waitFor();
    await price.fill('0.3');
    await price.press('Enter');
    await expect.poll(() => core.settings['energy']).toMatchObject({ usdPerKwh: 0.3 / 0.92 });
    expect(await price.inputValue()).toBe('0.3');
    await keepLooks(served, 'currency-electricity');
  });

  it('shows costs, comparisons and expectations in it, and limits in dollars', async () => {
    const { page } = served;
    await show('Costs');
    await page.getByText('1 US dollar is 0.92 EUR, as you set. Models are billed in dollars.').waitFor();
    await page.getByText(/A month as you work/u).waitFor();
    expect(await page.getByRole('table').innerText()).toMatch(/\$[\d.]+\s+≈ €[\d.]+/u);
    await keepLooks(served, 'currency-costs');
    await viewWays(page, sessions).ways.comparison();
    await page.getByText(/≈ €/u).first().waitFor();
    await keepLooks(served, 'currency-comparison');
    await viewWays(page, sessions).openSession('fix', 'Fix the failing date test');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Repair');
    const line = page.locator('[data-expected]');
    await expect.poll(() => line.innerText()).toMatch(/about \$0\.06 ≈ €0\.055/u);
    await keepLooks(served, 'currency-expected');
    await field.fill('');
  });

  it('goes back to dollars alone when the code is emptied', async () => {
    const { page } = served;
    await show('Settings');
    const code = page.getByRole('textbox', { name: 'Currency code' });
    await code.fill('');
    await code.press('Enter');
    await expect.poll(kept).toEqual({ currency: null });
    await show('Costs');
    await page.getByText(/A month as you work/u).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('≈');
  });
});
