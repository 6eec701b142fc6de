import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { success } from '../../src/shared/errors.ts';
import type { ChatServer } from '../fakes/chat-server.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { openClientCore } from '../fakes/core-client.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { violations } from './axe.ts';
import { keepLooks } from './keep-looks.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { reload } from './launch.ts';

/** The page on a real core with scripted models: one question to several of them. */
let folder: string;
let core: ClientCore;
let served: ServedPage;
let chat: ChatServer;

const long = Array.from(
  { length: 12 },
  (_, at) => `${at + 1}. A reason that needs a whole line of the column, and **some** more words than that.`,
).join('\n');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-side-'));
  chat = await startChatServer();
  const delta = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const body = frame({ ...delta, choices: [{ index: 0, delta: { role: 'assistant', content: 'The first half' } }] });
  chat.behave({ type: 'stream', body, after: 'hang' });
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  const { settings } = core.client;
  const said = (...texts: readonly string[]) => ({
    kind: 'scripted',
    repeat: true,
    replies: texts.map((text) => ({ text })),
  });
  await settings.set({ key: 'providers.first', value: said('Said by the first.') });
  await settings.set({ key: 'providers.second', value: said(`Said by the second.\n\n${long}`) });
  await settings.set({ key: 'providers.broken', value: said() });
  await settings.set({
    key: 'providers.slow',
    value: { kind: 'openai-compatible', baseUrl: chat.baseUrl, where: 'local' },
  });
  await settings.set({ key: 'local', value: 'first/script' });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  await chat?.close();
  rmSync(folder, { recursive: true, force: true });
});

const column = (name: string) => served.page.getByRole('region', { name: `Answer of ${name}`, exact: true });
const others = () => served.page.getByRole('group', { name: 'Also ask' });
const ask = () => served.page.getByRole('button', { name: 'Ask others too…' });

async function pickOther(number: number, key: string): Promise<void> {
  const { page } = served;
  await others()
    .getByRole('listitem', { name: `Model ${number}` })
    .getByRole('button', { name: /^Model: /u })
    .click();
  await page.getByRole('dialog', { name: 'Choose a model' }).locator(`[data-option="${key}"]`).click();
}

describe('a question to several models', () => {
  it('is asked by pointer, answered beside each other while one fails and one is slow, and gone on with', async () => {
    const { page } = served;
    const { sessionId } = await core.client.sessions.create({ projectPath: null, title: 'Side by side' });
    await page.locator('[data-session]', { hasText: 'Side by side' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Side by side' }).waitFor();
    await ask().click();
    await others().getByRole('button', { name: 'Add another' }).click();
    await others().getByRole('button', { name: 'Add another' }).click();
    await pickOther(2, 'second/script');
    await pickOther(3, 'broken/script');
    await pickOther(4, 'slow/m');
    expect(await others().getByRole('button', { name: 'Add another' }).count()).toBe(0);
    await keepLooks(served, 'beside-asking');
    await page.getByRole('textbox', { name: 'Message' }).fill('Who are you?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();

    await page.getByRole('heading', { level: 1, name: 'Side by side' }).waitFor();
    await column('Scripted answers (first)').getByText('Said by the first.').waitFor();
    await column('Scripted answers (second)').getByText('Said by the second.').waitFor();
    await column('Scripted answers (broken)').getByText('no answer number').first().waitFor();
    const slow = page.getByRole('region', { name: /^Answer of .*(?:slow|m)$/u });
    await slow.getByText('The first half').waitFor();
    await column('Scripted answers (first)').locator('[data-facts]', { hasText: /\d s/u }).waitFor();
    await keepLooks(served, 'beside-four');
    await slow.getByRole('button', { name: 'Stop' }).click();
    await slow.getByText('Stopped by you').waitFor();
    await slow.getByText('The first half').waitFor();

    await column('Scripted answers (second)').getByRole('button', { name: 'Go on with this one' }).click();
    const place = page.getByRole('group', { name: 'Branches from here' });
    await place.getByText(/of 4$/u).waitFor();
    await page.getByRole('log').getByText('Said by the second.').first().waitFor();
    await page.getByRole('button', { name: 'Model: Scripted answers (second)' }).waitFor();
    expect(await page.locator('[data-session]', { hasText: 'Side by side' }).count()).toBe(1);
    await place.getByRole('button', { name: 'Side by side' }).click();
    await column('Scripted answers (first)').getByText('Said by the first.').waitFor();
    await page.getByRole('button', { name: 'Back to the session' }).click();
    await page.getByRole('log').getByText('Said by the second.').first().waitFor();
    expect(await core.client.sessions.branches({ sessionId })).toHaveLength(4);
  });

  it('is asked in a new talk by keyboard alone', async () => {
    const { page } = served;
    await page.getByRole('navigation').getByRole('button', { name: /^New/u }).first().click();
    await ask().focus();
    await page.keyboard.press('Enter');
    await others().waitFor();
    await page.getByRole('textbox').first().focus();
    await page.keyboard.type('Why is the sky blue?');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Side by side' }).waitFor();
    const go = page.getByRole('button', { name: 'Go on with this one' });
    await expect.poll(() => go.count()).toBe(2);
    await keepLooks(served, 'beside-two');
    await go.first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Why is the sky blue?' }).waitFor();
    expect(served.complaints).toEqual([]);
  });

  it('is asked in a project without a folder, and each answer is in it', async () => {
    const { page } = served;
    const { key, id } = await core.client.projects.create({ name: 'Book club', instructions: 'Be kind.' });
    await reload(page);
    await page.getByRole('button', { name: 'Settings of Book club' }).click();
    await page.getByRole('button', { name: 'New task here' }).click();
    await ask().click();
    await others().waitFor();
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Which book is the best?');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const go = page.getByRole('button', { name: 'Go on with this one' });
    await expect.poll(() => go.count()).toBe(2);
    const inProject = (await core.client.sessions.list()).filter(({ project }) => project === key);
    expect(inProject).toHaveLength(2);
    for (const { sessionId } of inProject) {
      const { state } = await core.client.sessions.show({ sessionId });
      const { request } = await core.client.sessions.detail({ sessionId, id: state.steps.at(-1)?.callId ?? '' });
      expect(state.project).toBe(id);
      expect(request?.messages.find(({ role }) => role === 'system')?.text).toContain('Be kind.');
    }
    await go.first().click();
    await page.getByRole('heading', { level: 1, name: 'Which book is the best?' }).waitFor();
    expect(served.complaints).toEqual([]);
  });

  it('is not offered for work, and says so', async () => {
    const { page } = served;
    await page.getByRole('button', { name: 'Work', exact: true }).click();
    expect(await ask().getAttribute('aria-disabled')).toBe('true');
    expect(await ask().getAttribute('title')).toContain('for Compare');
    await ask().focus();
    await page.keyboard.press('Enter');
    expect(await others().count()).toBe(0);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await ask().click();
    await others().waitFor();
    await page.getByRole('button', { name: 'Work', exact: true }).click();
    await others().getByRole('status').getByText('Work on the same files is for Compare.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Write a file.');
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
  });
});
