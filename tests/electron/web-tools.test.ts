import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webScene } from '../fakes/network-scene.ts';
import { createPageCore, type PageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { knownKey } from '../fakes/page-web.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import { servePage, type ServedPage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const asked = (name: string) => core.asked.filter((one) => one.name === name).map(({ args }) => args);

describe('a request to the web that asks', () => {
  it("shows host, address and the model's words as such, and never remembers a yes to a change", async () => {
    const { page } = served;
    await webScene(core);
    await page.locator('[data-session]', { hasText: 'Look up the newest version' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('The agent wants Dewpoint to send a request to this host').waitFor();
    expect(await dialog.getByRole('list', { name: 'Hosts' }).getByRole('listitem').allInnerTexts()).toEqual([
      'docs.example.org',
    ]);
    await dialog.getByText('The model’s reason (not verified):').waitFor();
    expect(await dialog.locator('pre').allInnerTexts()).toEqual([
      'Dewpoint says: this U+202Eis safe',
      'GET https://docs.example.org/releases?q=newest',
    ]);
    await dialog.getByText('A lasting yes lets commands reach this host, too.').waitFor();
    expect(await violations(page)).toEqual([]);
    const once = dialog.getByRole('button', { name: 'Allow once' });
    await expect.poll(() => once.getAttribute('aria-disabled')).toBe('false');
    await dialog.getByRole('button', { name: 'Allow for session' }).click();
    await expect.poll(() => asked('approve')).toEqual([['w0', 'allow', 'session']]);
    // The second request may change something. Its body is shown, and only a one-time approval is offered.
    await dialog.getByText('POST https://api.example.org/v1/builds').waitFor();
    await expect
      .poll(() => dialog.locator('pre').allInnerTexts())
      .toEqual([
        'Dewpoint says: this U+202Eis safe',
        'POST https://api.example.org/v1/builds',
        'content-type: application/json\n\n{"start": true}',
      ]);
    expect(await dialog.getByRole('button', { name: /^Allow/u }).allInnerTexts()).toEqual(['Allow']);
    expect(await violations(page)).toEqual([]);
    const yes = dialog.getByRole('button', { name: 'Allow' });
    await expect.poll(() => yes.getAttribute('aria-disabled')).toBe('false');
    await dialog.press('Escape');
    await expect.poll(() => asked('approve').at(-1)).toEqual(['w1', 'deny']);
    await expect.poll(() => dialog.count()).toBe(0);
  });
});

describe('the search service', () => {
  it('counts as set up once a search with its key has worked, and a wrong key is reported and not kept', async () => {
    const { page } = served;
    await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
    const group = page.getByRole('region', { name: 'Web', exact: true });
    await group.getByRole('combobox', { name: 'Search service' }).selectOption('brave');
    const form = group.getByRole('form', { name: 'Brave (your key)' });
    const key = form.getByLabel('Key of Brave Search');
    expect(await form.getByRole('button', { name: 'Test and use' }).isDisabled()).toBe(true);
    await key.fill('sw0rdfish');
    await key.press('Enter');
    await form.getByText('refused (401)').waitFor();
    expect(await violations(page)).toEqual([]);
    expect([asked('secret'), core.settings.web]).toEqual([[], undefined]);
    await key.fill(knownKey);
    await form.getByRole('button', { name: 'Test and use' }).click();
    await page.getByText('Brave (your key) works and is in use.').waitFor();
    expect([asked('secret'), core.settings.web]).toEqual([[['brave']], { search: 'brave' }]);
    await expect.poll(() => key.inputValue()).toBe('');
    expect(await page.content()).not.toContain(knownKey);
  });

  it('can be one in your network, by its address', async () => {
    const { page } = served;
    const group = page.getByRole('region', { name: 'Web', exact: true });
    await group.getByRole('combobox', { name: 'Search service' }).selectOption('searxng');
    const address = group.getByLabel('Address of your SearXNG');
    await address.fill('http://search.lan:8888');
    await address.press('Enter');
    await page.getByText('SearXNG (your own server) works and is in use.').waitFor();
    expect(core.settings.web).toEqual({ search: 'searxng', searxng: 'http://search.lan:8888' });
    await group.getByRole('combobox', { name: 'Search service' }).selectOption('off');
    await expect.poll(() => core.settings.web).toEqual({ search: 'off', searxng: 'http://search.lan:8888' });
  });
});

/** Catches: a switch that shows what was not saved, and one that only a pointer reaches. */
describe('the switch for computing', () => {
  it('is off at first, is switched on by keyboard alone, and is read in every look', async () => {
    const { page } = served;
    const choice = page
      .getByRole('region', { name: 'Computing', exact: true })
      .getByRole('combobox', { name: 'Compute in a conversation' });
    await choice.scrollIntoViewIfNeeded();
    expect([await choice.inputValue(), core.settings.calculate]).toEqual(['off', undefined]);
    await choice.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => core.settings.calculate).toBe(true);
    await expect.poll(() => choice.inputValue()).toBe('on');
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'computing-light');
    await served.resize(900, 700);
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
    await choice.scrollIntoViewIfNeeded();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'computing-dark-900');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => core.settings.calculate).toBe(false);
  });
});
