import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownWays } from '../fakes/made-outcomes.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: ReturnType<typeof createPageCore>;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  await fixScene(core);
  core.expected = {
    ...knownWays,
    warning: 'Everything goes to the cloud, although this machine solves 7 of 10 such tasks.',
  };
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

describe('the window with a record of outcomes', () => {
  it('says before a message is sent what to expect, and asks nothing anew while the person types', async () => {
    const { page } = served;
    const title = 'Fix the failing date test';
    await page.locator('[data-session]', { hasText: title }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Repair');
    const line = page.locator('[data-expected]');
    await line.getByText('Local: solves 7 of 10 such tasks (4 to 9), about 6 min').waitFor();
    await line.getByText('Auto: solves 9 of 10 such tasks (6 to 10), about $0.06').waitFor();
    await line.getByText('Cloud: success unknown yet, about $0.11').waitFor();
    await line.getByText('Everything goes to the cloud').waitFor();
    await field.pressSequentially(' the date parser, which reads the year twice');
    expect(core.asked.filter(({ name }) => name === 'expect')).toHaveLength(1);
    await keepScreenshot(page, 'expected');
    expect(await violations(page)).toEqual([]);
    await field.fill('');
    await line.waitFor({ state: 'detached' });
  });

  it('shows in the settings what was learned, from what, and what is not known', async () => {
    const { page } = served;
    await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByText('What was learned about your models').click();
    const table = page.getByRole('table', { name: 'What was learned about your models' });
    await table.getByText('a check: 8, you undid it: 2').waitFor();
    await page.getByText('is not known yet: 3 of 12 judged tasks failed, and it takes at least 29').waitFor();
    await keepScreenshot(page, 'learned');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Forget all of this' }).click();
    await page.getByText('Forgotten.').first().waitFor();
  });
});
