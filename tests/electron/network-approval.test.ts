import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageCore, type PageCore } from '../fakes/page-core.ts';
import { networkScene } from '../fakes/network-scene.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { servePage, type ServedPage } from './page-kit.ts';

describe('a command that asks for a network', () => {
  let served: ServedPage;
  let core: PageCore;
  beforeAll(async () => {
    core = createPageCore();
    furnish(core);
    await networkScene(core);
    served = await servePage(core);
    await served.resize(1360, 860);
    await served.page.emulateMedia({ reducedMotion: 'reduce' });
    await served.page.locator('[data-session]', { hasText: 'Install the packages' }).click();
  });
  afterAll(async () => {
    await served?.close();
  });
  const asked = () => core.asked.findLast(({ name }) => name === 'approve')?.args;

  it('shows the hosts, the whole command and the words of the model as such, and holds for as long as is said', async () => {
    const { page } = served;
    const dialog = page.getByRole('alertdialog');
    const hosts = dialog.getByRole('list', { name: 'Hosts' }).getByRole('listitem');
    expect(await hosts.allInnerTexts()).toEqual(['files.example.org', 'xn--fles-8va.example.org']);
    await dialog.getByText('stands for letters of another script').waitFor();
    await dialog.getByText('The model says (its own words, nothing was checked):').waitFor();
    expect(await dialog.locator('pre').allInnerTexts()).toEqual([
      'They are U+202Eneeded',
      'pip install -r requirements.txt\necho second line',
    ]);
    expect(await violations(page)).toEqual([]);
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Allow once' }).getAttribute('aria-disabled'))
      .toBe('false');
    await dialog.getByRole('button', { name: 'For this session' }).click();
    await expect.poll(asked).toEqual(['n0', 'allow', 'session']);
    await dialog.getByText('npm ci').waitFor();
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Allow once' }).getAttribute('aria-disabled'))
      .toBe('false');
    await dialog.getByRole('button', { name: 'Always for this project' }).click();
    await expect.poll(asked).toEqual(['n1', 'allow', 'project']);
    await expect.poll(() => dialog.count()).toBe(0);
  });
});
