import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import type { ChatServer } from '../fakes/chat-server.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { eventsOf, openClientCore } from '../fakes/core-client.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { pickModel } from './pick-model.ts';

/** The page on a real core with scripted models: which one answers, what is sent again, and what waits. */
let folder: string;
let core: ClientCore;
let served: ServedPage;
let chat: ChatServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-branches-'));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project', 'a.py'), 'x = 1\n');
  chat = await startChatServer();
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'a.py': 'x = 1\n' } })),
  });
  const said = (text: string) => ({ kind: 'scripted', repeat: true, replies: [{ text }] });
  await core.client.settings.set({ key: 'providers.first', value: said('Said by the first.') });
  await core.client.settings.set({ key: 'providers.second', value: said('Said by the second.') });
  const slow = { kind: 'openai-compatible', baseUrl: chat.baseUrl, where: 'local' };
  await core.client.settings.set({ key: 'providers.slow', value: slow });
  await core.client.settings.set({ key: 'local', value: 'first/script' });
  served = await servePage(core);
  await served.resize(1100, 800);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  await chat?.close();
  rmSync(folder, { recursive: true, force: true });
});

const message = () => served.page.getByRole('textbox', { name: 'Message' });
const log = () => served.page.getByRole('log');
const yours = () => served.page.getByRole('article', { name: 'You' });

async function begin(title: string): Promise<string> {
  const { sessionId } = await core.client.sessions.create({ projectPath: join(folder, 'project'), title });
  await served.page.locator('[data-session]', { hasText: title }).first().click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
  return sessionId;
}

describe('the model of a message', () => {
  it('is searched, starred and picked by keyboard alone, and answers', async () => {
    const { page } = served;
    const sessionId = await begin('Picked by keyboard');
    await page.getByRole('button', { name: 'Model: Scripted answers (first)' }).focus();
    await page.keyboard.press('Enter');
    const picker = page.getByRole('dialog', { name: 'Choose a model' });
    await picker.getByRole('combobox', { name: 'Search models' }).waitFor();
    await page.keyboard.type('second');
    await expect.poll(() => picker.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await picker.getByRole('button', { name: 'Remove from favorites' }).waitFor();
    expect(await core.client.settings.get({ key: 'favoriteModels' })).toEqual(['second/script']);
    await picker.getByRole('group', { name: 'Favorites' }).getByRole('option').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await picker.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Model: Scripted answers (second)' }).waitFor();
    await message().fill('Who are you?');
    await message().press('Enter');
    await log().getByText('Said by the second.').first().waitFor();
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.steps.map(({ model }) => model)).toEqual(['second/script']);
  });

  it('leads to adding a key when there is no cloud model', async () => {
    const { page } = served;
    await page.getByRole('button', { name: /^Model: /u }).click();
    await page.getByRole('option', { name: /^Add a cloud key/u }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  });
});

describe('a branch', () => {
  it('is made by editing a message or by another answer, and each can be opened', async () => {
    const { page } = served;
    const sessionId = await begin('Said and said again');
    await message().fill('Who are you?');
    await message().press('Enter');
    await log().getByText('Said by the first.').first().waitFor();
    const place = page.getByRole('group', { name: 'Branches from here' });
    expect(await place.count()).toBe(0);

    await yours().hover();
    await page.getByRole('button', { name: 'Edit and resend' }).click();
    const field = page.getByRole('textbox', { name: 'Edit message' });
    await field.fill('Who are you really?');
    await field.press('Enter');
    await yours().getByText('Who are you really?').waitFor();
    await place.getByText('2 of 2').waitFor();
    await log().getByText('Said by the first.').first().waitFor();

    await page.getByRole('button', { name: 'Regenerate with another model' }).click();
    await page.getByRole('dialog', { name: 'Choose a model' }).locator('[data-option="second/script"]').click();
    await place.getByText('3 of 3').waitFor();
    await log().getByText('Said by the second.').first().waitFor();
    expect(await violations(page)).toEqual([]);

    await place.getByRole('button', { name: 'Previous branch' }).click();
    await place.getByText('2 of 3').waitFor();
    await place.getByRole('button', { name: 'Previous branch' }).click();
    await place.getByText('1 of 3').waitFor();
    await log().getByText('Said by the first.').first().waitFor();
    expect(await yours().allInnerTexts()).toEqual(['Who are you?']);
    expect(await place.getByRole('button', { name: 'Previous branch' }).isDisabled()).toBe(true);
    // All of it is one session of the list, under its own name.
    expect(await page.locator('[data-session]', { hasText: 'Said and said again' }).count()).toBe(1);
    expect(await page.getByRole('heading', { level: 1, name: 'Said and said again', exact: true }).count()).toBe(1);
    const family = await core.client.sessions.branches({ sessionId });
    for (const branch of family) {
      const report = await core.client.sessions.replay({ sessionId: branch.sessionId });
      expect(report.firstDifference).toBeNull();
    }
    expect(family).toHaveLength(3);
  });
});

describe('a message that waits', () => {
  it('can be put back into the field or removed, and is reported as unsent after a stop', async () => {
    const { page } = served;
    const delta = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
    const body = frame({ ...delta, choices: [{ index: 0, delta: { role: 'assistant', content: 'The first half' } }] });
    chat.behave({ type: 'stream', body, after: 'hang' });
    const sessionId = await begin('While it works');
    await pickModel(page, 'slow/m');
    await message().fill('Take your time.');
    await message().press('Enter');
    await log().getByText('The first half').first().waitFor();
    const waiting = page.getByRole('article', { name: 'You · waiting for the next step' });
    for (const text of ['Use y.', 'Use z.', 'Say why.']) {
      await message().fill(text);
      await message().press('Enter');
      await waiting.getByText(text).waitFor();
    }
    const rowOf = (text: string) => log().locator('.group\\/message', { hasText: text });
    await rowOf('Use y.').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => waiting.count()).toBe(2);
    await rowOf('Use z.').getByRole('button', { name: 'Edit' }).click();
    await expect.poll(() => message().inputValue()).toBe('Use z.');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('[data-outcome=cancelled]').waitFor();
    await rowOf('Say why.').getByRole('button', { name: 'Send again' }).waitFor();
    expect(await waiting.count()).toBe(0);
    // The part of the answer that arrived is kept.
    await log().getByText('The first half').first().waitFor();
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.messages.map(({ text }) => text)).toEqual(['Take your time.', 'Say why.']);
    expect((await eventsOf(core.client, sessionId)).filter(({ type }) => type === 'message-dropped')).toHaveLength(3);
    const report = await core.client.sessions.replay({ sessionId });
    expect(report.firstDifference).toBeNull();
    expect(served.complaints).toEqual([]);
  });
});

describe('a prompt template', () => {
  it('is written in the window, fills the field, and can be restored after it was deleted', async () => {
    const { page } = served;
    await begin('With templates');
    await message().fill('/templates');
    await message().press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Prompts', exact: true });
    await dialog.getByLabel('Name').fill('plan');
    await dialog.getByLabel('Text', { exact: true }).fill('Explain {{file}} in {{count}} words.');
    await dialog.getByRole('button', { name: 'Save prompt' }).click();
    await dialog.getByText('/plan is a command.').waitFor();
    await dialog.getByLabel('Name').fill('explain');
    await dialog.getByRole('button', { name: 'Save prompt' }).click();
    await dialog.getByRole('button', { name: '/explain' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await message().fill('/expl');
    await page
      .getByRole('listbox', { name: 'Commands' })
      .getByRole('option', { name: /^\/explain/u })
      .waitFor();
    await message().press('Enter');
    await expect.poll(() => message().inputValue()).toBe('Explain {{file}} in {{count}} words.');
    const chosen = () =>
      message().evaluate((area) =>
        area instanceof HTMLTextAreaElement ? area.value.slice(area.selectionStart, area.selectionEnd) : '',
      );
    await expect.poll(chosen).toBe('{{file}}');
    await message().fill('/explain count=ten a.py');
    await message().press('Enter');
    await expect.poll(() => message().inputValue()).toBe('Explain a.py in ten words.');
    await message().press('Enter');
    await yours().getByText('Explain a.py in ten words.').waitFor();

    await message().fill('/templates');
    await message().press('Enter');
    await dialog.getByRole('button', { name: '/explain' }).click();
    await dialog.getByRole('button', { name: 'Delete prompt' }).click();
    await expect.poll(() => dialog.getByRole('button', { name: '/explain' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect
      .poll(async () => (await core.client.templates.list()).templates.map(({ name }) => name))
      .toEqual(['explain']);
    expect(served.complaints).toEqual([]);
  });
});
