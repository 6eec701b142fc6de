import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;
const opened: unknown[] = [];

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.replace({
    host: {
      info: () => ({ isWindow: true, refused: [], roots: [] }),
      openSignIn: ({ input }) => void opened.push(input),
    },
  });
  served = await servePage(core);
  await served.resize(1200, 900);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const keyed = () => core.asked.filter(({ name }) => name === 'key').map(({ args }) => args);

describe('a sign-in for a key', () => {
  it('begins by a click in Settings, shows its address, and ends in a key that the page never shows', async () => {
    const { page } = served;
    await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
    const begin = page.getByRole('button', { name: 'Sign in with OpenRouter' });
    await begin.focus();
    expect(opened).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Finish signing in at openrouter.ai in your browser.').waitFor();
    // The page says which provider; the core knows the address.
    await expect.poll(() => opened).toEqual([{ kind: 'provider', name: 'openrouter' }]);
    await page.getByRole('button', { name: 'Cancel', exact: true }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'key-sign-in-waiting');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(keyed()).toEqual([]);
    await begin.click();
    await page.getByText('The browser is on another machine').click();
    const field = page.getByRole('textbox', { name: 'Address that it ended at' });
    await field.fill('https://openrouter.ai');
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByText('It still waits.').waitFor();
    await field.fill('http://127.0.0.1:4567/callback/abc?code=c0de');
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByText('Saved in your system’s key store. The key works.').waitFor();
    expect(keyed()).toEqual([['openrouter']]);
    await keepScreenshot(page, 'key-sign-in-done');
    await page.getByRole('button', { name: 'Remove key for openrouter' }).click();
    await page
      .getByText('It stays valid at the service until you delete it there: https://openrouter.ai/settings/keys')
      .first()
      .waitFor();
  });

  it('is offered only at services that support it, where models are added', async () => {
    const { page } = served;
    await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
    const form = page.getByRole('form', { name: 'Add endpoint' });
    const service = form.getByRole('combobox', { name: 'Provider', exact: true });
    await service.selectOption({ label: 'Groq' });
    expect(await form.getByRole('button', { name: /^Sign in/u }).count()).toBe(0);
    await service.selectOption({ label: 'OpenRouter' });
    await form.getByRole('button', { name: 'Sign in with OpenRouter' }).waitFor();
    await keepScreenshot(page, 'key-sign-in-new');
    expect(await violations(page)).toEqual([]);
  });
});
