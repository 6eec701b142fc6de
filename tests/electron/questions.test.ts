import type { ClientCore } from '../fakes/core-client.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, openClientCore } from '../fakes/core-client.ts';
import type { MemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events/events.ts';
import type { ChatServer } from '../fakes/chat-server.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { pickModel } from './pick-model.ts';
import { reload } from './launch.ts';

/** The page on a real core with scripted models: where a task waits for the user, and what the answer does. */
let folder: string;
let core: ClientCore;
let served: ServedPage;
let chat: ChatServer;
let sandbox: MemorySandbox;

const guarded = 'tests/test_port.py';
const before = 'def test_port(): assert PORT == 8123\n';
const after = 'def test_port(): pass\n';
const changeIt = [
  { toolCalls: [{ name: 'read_file', input: { path: guarded } }] },
  { toolCalls: [{ name: 'write_file', input: { path: guarded, content: after } }] },
  { toolCalls: [{ name: 'write_file', input: { path: 'port.py', content: 'PORT = 8123\n' } }] },
  { toolCalls: [{ name: 'task_complete', input: { summary: 'That is all.' } }] },
];
/**
 * A price of one dollar per thousand output tokens: the first call fits under the limit below, and no further call
 * does.
 */
const price = { input: 100, output: 1000, source: 'test', date: '2026-11-21' };
const maxUsd = '2';
const dearReply = { text: 'word '.repeat(800), toolCalls: [{ name: 'read_file', input: { path: guarded } }] };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-questions-'));
  mkdirSync(join(folder, 'project', 'tests'), { recursive: true });
  writeFileSync(join(folder, 'project', guarded), before);
  chat = await startChatServer();
  const delta = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const text = 'The first half of an answer';
  const body = frame({ ...delta, choices: [{ index: 0, delta: { role: 'assistant', content: text } }] });
  chat.behave({ type: 'stream', body, after: 'hang' });
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => {
      sandbox = createMemorySandbox({ files: { [guarded]: before }, exec: () => ({ exitCode: 0 }) });
      return success(sandbox);
    },
  });
  const answer = [{ text: 'It is 8123, said here.' }];
  await core.client.settings.set({ key: 'providers.denied', value: { kind: 'scripted', replies: changeIt } });
  await core.client.settings.set({ key: 'providers.granted', value: { kind: 'scripted', replies: changeIt } });
  await core.client.settings.set({ key: 'providers.here', value: { kind: 'scripted', replies: answer } });
  await core.client.settings.set({
    key: 'providers.paid',
    value: { kind: 'scripted', where: 'cloud', price, replies: [dearReply] },
  });
  await core.client.settings.set({
    key: 'providers.slow',
    value: { kind: 'openai-compatible', baseUrl: chat.baseUrl, where: 'local' },
  });
  await core.client.settings.set({ key: 'cloud', value: 'paid/script' });
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

const outcome = (reason: string) => served.page.locator(`[data-outcome="${reason}"]`);

/** Types a task for its own model and starts it. */
async function start(task: string, model: string, choose = async (): Promise<void> => undefined): Promise<void> {
  const { page } = served;
  await core.client.settings.set({ key: 'local', value: model });
  await page.getByRole('button', { name: 'New task' }).click();
  await page.getByRole('textbox', { name: 'Task' }).fill(task);
  await page.getByRole('combobox', { name: 'Project folder' }).fill(join(folder, 'project'));
  await choose();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

/** All events of the newest session. */
async function lastLog(): Promise<readonly SessionEvent[]> {
  const sessions = await core.client.sessions.list();
  const [latest] = [...sessions].sort((one, other) => other.createdAt - one.createdAt);
  if (latest === undefined) throw new Error('There is no session.');
  await core.client.sessions.result({ sessionId: latest.sessionId });
  return eventsOf(core.client, latest.sessionId);
}

describe('a change of a guarded file', () => {
  const dialog = () => served.page.getByRole('alertdialog', { name: 'Approval needed' });
  const say = async (answer: 'Allow' | 'Deny'): Promise<void> => {
    await dialog().getByText(guarded).first().waitFor();
    expect(sandbox.text(guarded)).toBe(before);
    const button = dialog().getByRole('button', { name: answer, exact: true });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
    await dialog().waitFor({ state: 'detached' });
  };
  const answers = async () =>
    (await lastLog()).flatMap((event) => (event.type === 'approval-answered' ? [[event.answer, event.by]] : []));

  it('is not made when it is denied, and the task goes on', async () => {
    await start('Make it quicker.', 'denied/script');
    await say('Deny');
    await outcome('done').getByText('That is all.').waitFor();
    expect(await answers()).toEqual([['deny', 'person']]);
    expect(sandbox.text(guarded)).toBe(before);
  });

  it('is made once it is allowed', async () => {
    await start('Make it quicker.', 'granted/script');
    await say('Allow');
    await outcome('done').getByText('That is all.').waitFor();
    expect(await answers()).toEqual([['allow', 'person']]);
    expect(sandbox.text(guarded)).toBe(after);
  });
});

describe('a task at its cap', () => {
  it('goes on locally when a person says so, and pays no more', async () => {
    const { page } = served;
    await start('Which port is it?', 'here/script', async () => {
      await pickModel(page, 'paid/script');
      await page.getByText('More options').click();
      await page.getByRole('spinbutton', { name: 'Spending limit in US dollars' }).fill(maxUsd);
    });
    const dialog = page.getByRole('alertdialog', { name: 'The next call could exceed your limit' });
    await dialog.getByRole('button', { name: 'Continue locally' }).click();
    await page.locator('[data-outcome]').getByText('It is 8123, said here.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    const log = await lastLog();
    const said = log.flatMap((event) => (event.type === 'cap-answered' ? [[event.answer, event.by]] : []));
    expect(said).toEqual([['local', 'person']]);
    const called = log.flatMap((event) => (event.type === 'model-call-started' ? [event.model] : []));
    expect(called).toEqual(['paid/script', 'here/script']);
  });
});

describe('an answer that is being written', () => {
  it('can be stopped, and what was written of it is kept', async () => {
    const { page } = served;
    // A new task keeps the model that was chosen for the one before.
    await start('Tell me a long story.', 'slow/m', () => pickModel(page, 'slow/m'));
    await page.getByRole('log').getByText('The first half of an answer').first().waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await outcome('cancelled').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    const log = await lastLog();
    expect(log.findLast((event) => event.type === 'turn-ended')).toMatchObject({ reason: 'cancelled' });
    // The page shows the log, and shows the same after a reload.
    await reload(page);
    await outcome('cancelled').waitFor();
    await page.getByRole('log').getByText('The first half of an answer').first().waitFor();
    expect(served.complaints).toEqual([]);
  });
});
