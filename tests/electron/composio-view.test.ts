import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { composioScene } from '../fakes/page-tools.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage, showTools } from './page-kit.ts';

/**
 * Catches: a key on the page, a server that is reached before an approval, and a wait for a sign-in that cannot be
 * ended.
 */
let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  served = await servePage(core);
  await served.resize(1200, 900);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const card = () => served.page.getByRole('region', { name: 'composio', exact: true });
const asked = (name: string) => core.asked.filter((one) => one.name === name).map(({ args }) => args);

describe('the Composio view', () => {
  it('adds Composio with its key in the key store, and reaches it only after a yes', async () => {
    const { page } = served;
    await showTools(served.page);
    await page.getByText('Add Composio', { exact: true }).first().click();
    const form = page.getByRole('form', { name: 'Composio', exact: true });
    await form.getByLabel('API key').fill('ak_swordfish');
    await form.getByRole('textbox', { name: 'Toolkits' }).fill('GitHub, slack');
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add Composio' }).click();
    await card().getByText('Use this server?').waitFor();
    expect(asked('secret')).toEqual([['composio', 'x-api-key']]);
    expect(await page.content()).not.toContain('ak_swordfish');
    const parts = (await card().locator('dl').innerText()).replaceAll(/\s+/gu, ' ');
    expect(parts).toBe(
      'Address https://backend.composio.dev User default Toolkits github, slack Reached by its API Tools general ones that find and call others Remote workbench Off',
    );
    expect(asked('connect')).toEqual([]);
    await card().getByRole('button', { name: 'Approve and start' }).click();
    await expect.poll(() => asked('connect')).toEqual([['composio']]);
  });

  it('says what was refused, and keeps what was typed', async () => {
    const { page } = served;
    await page.getByText('Add a server', { exact: true }).click();
    await page.getByText('Add Composio', { exact: true }).first().click();
    const form = page.getByRole('form', { name: 'Composio', exact: true });
    await form.getByLabel('API key').fill('ak_other');
    await form.getByRole('button', { name: 'Add Composio' }).click();
    await form.getByText('There is a tool server composio already. Nothing was changed.').waitFor();
    expect(await form.getByLabel('API key').inputValue()).toBe('ak_other');
  });

  it('shows which accounts are connected, and connects one by a link', async () => {
    const { page } = served;
    composioScene(core.tools);
    await showTools(served.page);
    const accounts = card().getByRole('region', { name: 'Accounts' });
    await accounts.getByRole('button', { name: 'Show accounts' }).click();
    await accounts.getByRole('listitem', { name: 'Gmail' }).getByText('EXPIRED').waitFor();
    await accounts.getByRole('button', { name: 'Connect GitHub' }).focus();
    await page.keyboard.press('Enter');
    await accounts.getByText('https://connect.example.org/link/github').waitFor();
    await accounts.getByRole('button', { name: 'Copy link' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'composio-accounts');
    core.tools.signIn('composio', 'github');
    await accounts.getByText('https://connect.example.org/link/github').waitFor({ state: 'detached' });
    await accounts.getByRole('listitem', { name: 'github' }).getByText('connected', { exact: true }).waitFor();
  });

  it('stops waiting when it is told to, and shows what Composio says', async () => {
    const accounts = card().getByRole('region', { name: 'Accounts' });
    const link = accounts.getByText('https://connect.example.org/link/linear');
    await accounts.getByLabel('Service').fill('Linear');
    await accounts.getByRole('button', { name: 'Connect', exact: true }).click();
    await link.waitFor();
    await accounts.getByRole('button', { name: 'Stop waiting' }).click();
    await link.waitFor({ state: 'detached' });
    await accounts.getByLabel('Service').fill('nothing');
    await accounts.getByRole('button', { name: 'Connect', exact: true }).click();
    await accounts.getByText('Composio knows no toolkit nothing for composio.').waitFor();
  });
});

it('the page asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
