import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot, openActions, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** The user can undo what they remove, or is asked before. */
const project = '/home/ada/projects/api-server';
const file = '/data/own.gguf';

let core: PageCore;
let served: ServedPage;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.setTime(Date.now() - 3_600_000);
  await fixScene(core);
  core.keys = { ...core.keys, keys: [...core.keys.keys, { provider: 'mine', source: 'store', variable: null }] };
  const mine = { kind: 'openai-compatible', baseUrl: 'https://models.example.org/v1', where: 'cloud' };
  await core.client.settings.set({
    key: 'providers',
    value: { mine, other: { ...mine, baseUrl: 'https://other.example.org/v1' } },
  });
  await core.client.models.import({ path: file, name: null });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

beforeEach(async () => {
  const close = served.page.getByRole('button', { name: 'Dismiss' });
  // All at once: a notice without an undo closes by itself, possibly while it is being clicked.
  await close.evaluateAll((all) => all.forEach((button) => button instanceof HTMLElement && button.click()));
  await expect.poll(() => close.count()).toBe(0);
});

const lastAsked = (name: string) => core.asked.findLast((one) => one.name === name)?.args;
const said = (text: string) => served.page.getByRole('status').getByText(text);

async function show(name: string): Promise<void> {
  await served.page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
}

async function undo(): Promise<void> {
  await served.page.getByRole('status').getByRole('button', { name: 'Undo', exact: true }).click();
}

describe('the undo of a removal', () => {
  it('restores a key from the core, which alone had it', async () => {
    const { page } = served;
    await show('Settings');
    const remove = page.getByRole('button', { name: 'Remove key for example' });
    await remove.click();
    await said('Key for example removed.').waitFor();
    await remove.waitFor({ state: 'detached' });
    await keepScreenshot(page, 'undo-key');
    await undo();
    await remove.waitFor();
    expect([lastAsked('forget'), lastAsked('restore-key')]).toEqual([['example'], ['example']]);
  });

  it('restores two endpoints, one of them with its key', async () => {
    const { page } = served;
    await show('Models');
    const before = core.settings['providers'];
    const row = (name: string) => page.locator(`[data-endpoint=${name}]`);
    await page.getByRole('button', { name: 'Remove mine and its key' }).click();
    await said('mine and its key removed.').waitFor();
    await page.getByRole('button', { name: 'Remove other and its key' }).click();
    await said('other removed.').waitFor();
    expect(core.settings['providers']).toEqual({});
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'undo-two');
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).first().click();
    await row('mine').waitFor();
    expect(lastAsked('restore-key')).toEqual(['mine']);
    await undo();
    await row('other').waitFor();
    expect(core.settings['providers']).toEqual(before);
  });

  it('restores a price that a person had typed', async () => {
    const { page } = served;
    await show('Models');
    const row = page.locator('[data-model="example/large-1"]');
    await row.getByRole('button', { name: 'Set price' }).click();
    await row.getByLabel('Input, $').fill('2.5');
    await row.getByLabel('Output, $').fill('10');
    await row.getByLabel('Cache read, $').fill('0.25');
    await row.getByRole('button', { name: 'Save price' }).click();
    await row.getByText('your price', { exact: true }).waitFor();
    const before = core.settings['prices'];
    await row.getByRole('button', { name: 'Use listed price' }).click();
    await row.getByText('your price', { exact: true }).waitFor({ state: 'detached' });
    await undo();
    await row.getByText('your price', { exact: true }).waitFor();
    expect(core.settings['prices']).toEqual(before);
  });

  it('restores a rule in the list, and the file once it was saved', async () => {
    const { page } = served;
    core.rules = { ...core.rules, text: 'local path a.md\ncloud path b.md\n', hash: 'e'.repeat(64) };
    core.rules = {
      ...core.rules,
      ...(await core.client.rules.check({ owner: 'own', projectPath: null, text: core.rules.text ?? '' })),
    };
    await reload(page);
    await show('Settings');
    const rules = page.getByRole('region', { name: 'Rules' });
    const remove = (rule: string) => rules.getByRole('button', { name: `Remove: ${rule}` });
    await remove('local path a.md').click();
    await remove('local path a.md').waitFor({ state: 'detached' });
    await rules.getByRole('button', { name: 'Undo last change' }).click();
    await remove('local path a.md').waitFor();
    await remove('cloud path b.md').click();
    await rules.getByRole('button', { name: 'Save rules' }).click();
    await said('Rules saved.').waitFor();
    expect(lastAsked('rules')).toEqual(['local path a.md\n']);
    await undo();
    await remove('cloud path b.md').waitFor();
    expect(lastAsked('rules')).toEqual(['local path a.md\ncloud path b.md\n']);
  });

  it('restores a variable, an image and a cap of a project', async () => {
    const { page } = served;
    const approval = 'd'.repeat(64);
    const own = { secretEnv: ['DEPLOY_TOKEN'], env: { STAGE: 'test' }, image: { name: 'mine:1', approval } };
    await core.client.settings.set({ key: ['sandbox', 'projects', project], value: own });
    await core.client.settings.set({ key: ['budget', 'projects', project], value: 4 });
    await page.getByRole('button', { name: 'Settings of api-server' }).click();
    await page.getByRole('button', { name: 'Remove STAGE' }).click();
    await said('STAGE removed.').waitFor();
    await undo();
    await page.locator('[data-variable=STAGE]').getByText('test').waitFor();
    await page.getByRole('button', { name: 'Remove DEPLOY_TOKEN' }).click();
    await said('DEPLOY_TOKEN removed.').waitFor();
    await undo();
    await page.locator('[data-variable=DEPLOY_TOKEN]').waitFor();
    await page.getByRole('region', { name: 'Image' }).getByRole('button', { name: 'Use default' }).click();
    await said('Commands no longer run in mine:1.').waitFor();
    await undo();
    await page.getByText('Commands run in mine:1').waitFor();
    expect(core.settings['sandbox']).toMatchObject({ projects: { [project]: own } });
    const cap = page.getByLabel('Limit per project, $');
    await cap.fill('');
    await cap.press('Enter');
    await said('Removed: Limit per project, $').waitFor();
    await undo();
    await expect.poll(() => core.settings['budget']).toEqual({ projects: { [project]: 4 } });
  });

  it('restores an imported model from its file, and asks before deleting a downloaded one', async () => {
    const { page } = served;
    await show('Models');
    const own = page.locator('[data-model="llama-cpp/own"]');
    await own.getByRole('button', { name: 'Forget' }).click();
    await own.waitFor({ state: 'detached' });
    await undo();
    await own.waitFor();
    expect(lastAsked('import')).toEqual([file, 'own']);
    const starter = page.locator('[data-model$="1.5b-instruct"]');
    await starter.getByRole('button', { name: 'Remove' }).click();
    await starter.getByRole('button', { name: 'Delete 1.1 GB' }).waitFor();
    await starter.getByRole('button', { name: 'Cancel' }).click();
    expect(lastAsked('remove')).toEqual(['llama-cpp/own']);
  });

  it('works from the palette, too, and says when it fails', async () => {
    const { page } = served;
    await show('Settings');
    await page.getByRole('button', { name: 'Remove key for example' }).click();
    await said('Key for example removed.').waitFor();
    core.replace({ keys: { restore: () => Promise.reject(new Error('The key store is locked.')) } });
    await (await openActions(page)).fill('Undo last');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Undo failed.').waitFor();
    expect(served.complaints).toEqual([]);
  });
});
