import type { ClientCore } from '../fakes/core-client.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAttachments } from '../generated/count-attachments.ts';
import { eventsOf, openClientCore } from '../fakes/core-client.ts';
import { createFakeHandlers } from '../fakes/fake-handlers.ts';
import { madeFiles } from '../fakes/made-files.ts';
import { pdfFile } from '../fakes/pdf-file.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import { zipFile } from '../fakes/zip-file.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** The page on a real core. What it says about a file before sending must be what the model gets. */
let folder: string;
let core: ClientCore;
let served: ServedPage;
let sessionId: string;
/** Until this resolves, the core does not answer what a model would get. */
let mayLook = Promise.resolve();
const pictures = process.env.DEWPOINT_ATTACHMENT_PICTURES;

const table = Buffer.from(
  `id,name,amount\n${Array.from({ length: 2200 }, (_, row) => `${row},customer ${row},${row}.50\n`).join('')}`,
);
const lines = ['Invoice 4711', 'Total: 1,234.50 EUR'];
const pdf = pdfFile({ pages: [['Cover'], lines, []], isCompressed: true });
const long = pdfFile({
  pages: Array.from({ length: 60 }, () => Array.from({ length: 40 }, () => 'A line of a long report, with its words.')),
  isCompressed: true,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-attached-'));
  mkdirSync(join(folder, 'project'));
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  const replies = [{ text: 'The total is 1,234.50 EUR (page 2).' }];
  await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', repeat: true, replies } });
  await core.client.settings.set({ key: 'local', value: 'script/script' });
  const project = join(folder, 'project');
  sessionId = (await core.client.sessions.create({ projectPath: project, title: 'A talk with files' })).sessionId;
  const { attachments, ...real } = core.handlers;
  const preview: typeof attachments.preview = async (call) => {
    await mayLook;
    return attachments.preview(call);
  };
  served = await servePage(createFakeHandlers(real, { attachments: { ...attachments, preview } }));
  await served.resize(1100, 800);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function give(name: string, buffer: Buffer): Promise<void> {
  await served.page
    .getByRole('main')
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
}

/** A screenshot in each look that a user can choose. */
async function shots(name: string): Promise<void> {
  if (pictures === undefined) return;
  const { page } = served;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: join(pictures, `${name}-dark.png`) });
  await page.emulateMedia({ colorScheme: 'light' });
  await served.resize(420, 800);
  await page.screenshot({ path: join(pictures, `${name}-narrow.png`) });
  await served.resize(1100, 800);
}

const attached = () => served.page.getByRole('main').getByRole('list', { name: 'Attached' });
/** Holds back the answer about what a model would get until the returned function is called. */
function holdLook(): () => void {
  let release = (): void => undefined;
  mayLook = new Promise((resolve) => (release = resolve));
  return release;
}

const button = (name: string) => served.page.getByRole('button', { name, exact: true });

describe('files of a new task', () => {
  it('hold the task while one of them was not accepted, until it is left out', async () => {
    const { page } = served;
    await page.getByRole('button', { name: 'New task' }).first().click();
    const field = page.getByRole('textbox', { name: 'What would you like' }).or(page.locator('form textarea')).first();
    await field.fill('What is the total?');
    await give('locked.pdf', pdfFile({ pages: [['x']], isEncrypted: true }));
    await page.getByRole('alert').getByText('Save a copy without the password').waitFor();
    await shots('refused');
    expect(await button('Start').isDisabled()).toBe(true);
    const before = (await core.client.sessions.list()).length;
    await field.press('Enter');
    expect((await core.client.sessions.list()).length).toBe(before);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Leave out' }).click();
    expect(await button('Start').isDisabled()).toBe(false);
  });
});

describe('files of a message', () => {
  it('show how much of each will be sent, and Context shows the same afterwards', async () => {
    const { page } = served;
    await page.locator('[data-session]', { hasText: 'A talk with files' }).click();
    await page.getByRole('heading', { level: 1, name: 'A talk with files' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await give('orders.csv', table);
    const said = attached().getByText(/^Only the first [\d.]+ kB of 5\d\.\d kB will be sent$/u);
    await said.waitFor();
    await give('invoice.pdf', pdf);
    await attached().getByText('3 pages').waitFor();
    await attached().getByText('1 page without text').waitFor();
    await give('report.pdf', long);
    await attached()
      .getByText(/^Only pages 1 to \d+ of 60 will be sent$/u)
      .waitFor();
    await give('empty.txt', Buffer.alloc(0));
    await attached().getByText('empty file').waitFor();
    await give('letter.txt', Buffer.from('Größe\n', 'latin1'));
    await attached().getByText('converted from Windows-1252').waitFor();
    const talk = (name: string) => ({ name, chat_messages: [{ sender: 'human', text: `About ${name}` }] });
    await give('conversations.json', Buffer.from(JSON.stringify([talk('rivers'), talk('lakes')])));
    await page.getByRole('dialog').getByRole('button', { name: 'Attach all as one file' }).click();
    await attached().getByText('2 conversations').waitFor();
    await page.getByText('Scripted answers has no room for more.').waitFor();
    await shots('chips');
    expect(await violations(page)).toEqual([]);
    const words = (await said.innerText()).match(/first ([\d.]+ kB) of ([\d.]+ kB)/u);
    await page.getByRole('textbox', { name: 'Message' }).fill('What is the total?');
    await button('Send').click();
    await page.getByRole('log').getByText('The total is 1,234.50 EUR').first().waitFor();
    const started = (await eventsOf(core.client, sessionId)).find((event) => event.type === 'model-call-started');
    if (started?.type !== 'model-call-started') throw new Error('no call');
    expect(started.cut?.map(({ name }) => name)).toEqual(['orders.csv', 'report.pdf']);
    const { request } = await core.client.sessions.detail({ sessionId, id: started.callId });
    const prompt = request?.messages.map(({ text }) => text).join('\n') ?? '';
    expect(prompt).toContain('[Page 2 of 3]\nInvoice 4711\nTotal: 1,234.50 EUR');
    expect(prompt).toContain('# lakes\n\nA conversation with Claude, date unknown\n\n## User\n\nAbout lakes');
    const trimmed = await core.client.sessions.trimmed({ sessionId, callId: started.callId });
    expect(trimmed.map(({ why, parts }) => [why, parts[0]?.label])).toEqual([
      ['attached', 'orders.csv'],
      ['attached', 'report.pdf'],
    ]);
    const context = page.getByRole('tabpanel', { name: 'Context' });
    await page.keyboard.press('Control+5');
    const row = context.locator('[data-trimmed=attached]', { hasText: 'orders.csv' });
    await row.getByText(`${words?.[2]} → ${words?.[1]}`).waitFor();
    await shots('context');
    await page.keyboard.press('Control+5');
    expect((await core.client.sessions.replay({ sessionId })).firstDifference).toBeNull();
  });

  it('hold the message while one of them was not accepted', async () => {
    const { page } = served;
    await page.getByRole('textbox', { name: 'Message' }).fill('And this?');
    await give('locked.pdf', pdfFile({ pages: [['x']], isEncrypted: true }));
    await page.getByRole('alert').getByText('password').first().waitFor();
    expect(await button('Send').isDisabled()).toBe(true);
    const before = (await eventsOf(core.client, sessionId)).length;
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    expect((await eventsOf(core.client, sessionId)).length).toBe(before);
    await page.getByRole('button', { name: 'Leave out' }).click();
    await expect.poll(() => button('Send').isDisabled()).toBe(false);
  });
});

describe('an export of a chat app', () => {
  const chats = () => served.page.getByRole('dialog', { name: 'Choose conversations' });
  /** The attachments in the input field, not those of sent messages. */
  const chips = () => served.page.getByRole('main').locator('form').getByRole('list', { name: 'Attached' });
  const talks = Array.from({ length: 130 }, (_, index) => ({
    name: `Talk ${index}`,
    updated_at: new Date(Date.UTC(2026, index % 12, 1 + (index % 28), 12)).toISOString(),
    chat_messages: [{ sender: 'human', text: `About ${index}` }],
  }));
  const exported = Buffer.from(JSON.stringify(talks));

  /** Catches: years of conversations that go to a model as one text although only one was wanted. */
  it('is searched, and each chosen conversation is attached by itself', async () => {
    const { page } = served;
    await page.locator('[data-session]', { hasText: 'A talk with files' }).click();
    await page.getByRole('heading', { level: 1, name: 'A talk with files' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Compare them.');
    await give('conversations.json', exported);
    await chats().getByText('conversations.json has 130 conversations.').waitFor();
    expect(await chats().getByRole('checkbox').count()).toBe(100);
    await chats().getByRole('button', { name: '30 more' }).click();
    await expect.poll(() => chats().getByRole('checkbox').count()).toBe(130);
    await shots('choose');
    expect(await violations(page)).toEqual([]);
    await chats().getByRole('searchbox').fill('nothing like it');
    await chats().getByText('No conversation matches.').waitFor();
    await shots('choose-none');
    await chats().getByRole('searchbox').fill('talk 77');
    await chats()
      .getByRole('checkbox', { name: /^Talk 77/u })
      .check();
    await chats().getByRole('searchbox').fill('jan talk 12');
    await chats()
      .getByRole('checkbox', { name: /^Talk 12/u })
      .first()
      .check();
    await chats().getByText('2 chosen').waitFor();
    await chats().getByRole('button', { name: 'Attach', exact: true }).click();
    await chats().waitFor({ state: 'detached' });
    await chips().getByText('Talk 77').waitFor();
    expect(await chips().getByRole('listitem').count()).toBe(2);
    expect(await chips().getByText('1 conversation').count()).toBe(2);
  });

  it('is accepted as an archive, and goes away when it is not wanted', async () => {
    await give('export.zip', zipFile({ 'data/conversations.json': exported }));
    await chats().getByText('export.zip has 130 conversations.').waitFor();
    expect(await chats().getByRole('button', { name: 'Attach all as one file' }).count()).toBe(0);
    await served.page.keyboard.press('Escape');
    await chats().waitFor({ state: 'detached' });
    expect(await chips().getByRole('listitem').count()).toBe(2);
    await give('other.zip', zipFile({ 'a.txt': Buffer.from('x') }));
    await served.page.getByRole('alert').getByText('other.zip is neither text').waitFor();
    await served.page.getByRole('button', { name: 'Leave out' }).click();
    await served.page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await expect
      .poll(async () => (await eventsOf(core.client, sessionId)).findLast(({ type }) => type === 'user-message-added'))
      .toMatchObject({ text: 'Compare them.', attachments: [{ name: 'Talk 77' }, { chat: { conversations: 1 } }] });
  });
});

/** Catches: an Enter that is swallowed while files are read, and a message that is sent with files nobody saw. */
describe('a message that is sent before its files are read', () => {
  const field = () => served.page.getByRole('textbox', { name: 'Message' });
  const sent = async () =>
    (await eventsOf(core.client, sessionId)).flatMap((event) =>
      event.type === 'user-message-added' ? [event.text] : [],
    );
  const wait = () => served.page.getByText('Sends when your files are read.');

  it('is sent by itself once they are read', async () => {
    const release = holdLook();
    await field().fill('What does the note say?');
    await give('note.txt', Buffer.from('Bring bread.\n'));
    await attached().getByText('note.txt').waitFor();
    await field().press('Enter');
    await wait().waitFor();
    await shots('waits');
    expect(await sent()).not.toContain('What does the note say?');
    release();
    await expect.poll(sent).toContain('What does the note say?');
    await expect.poll(() => field().inputValue()).toBe('');
    expect(await wait().count()).toBe(0);
  });

  it('is kept after Escape, and when more is typed', async () => {
    let release = holdLook();
    await field().fill('First wish');
    await give('second.txt', Buffer.from('Bring butter.\n'));
    await attached().getByText('second.txt').waitFor();
    await field().press('Enter');
    await wait().waitFor();
    await field().press('Escape');
    await wait().waitFor({ state: 'detached' });
    await field().press('Enter');
    await wait().waitFor();
    await field().pressSequentially('es');
    await wait().waitFor({ state: 'detached' });
    release();
    await attached().getByText('1 line', { exact: false }).waitFor();
    expect((await sent()).filter((text) => text.startsWith('First wish'))).toEqual([]);
    release = holdLook();
    await field().press('Enter');
    release();
    await expect.poll(sent).toContain('First wishes');
  });

  it('is kept when something of them is cut, and sent with the next Enter', async () => {
    const release = holdLook();
    await field().fill('How many orders?');
    await give('many.csv', table);
    await attached().getByText('many.csv').waitFor();
    await field().press('Enter');
    await wait().waitFor();
    release();
    await served.page.getByText('Not sent yet. Check what is said about your files').waitFor();
    await shots('waits-cut');
    expect(await sent()).not.toContain('How many orders?');
    expect(await violations(served.page)).toEqual([]);
    await field().press('Enter');
    await expect.poll(sent).toContain('How many orders?');
  });
});

/** Catches: the same faults in a new task, which has an input field of its own. */
it('a new task that is started before its files are read starts by itself when they are', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'New task' }).first().click();
  const field = page.getByRole('textbox', { name: 'Task', exact: true });
  const before = (await core.client.sessions.list()).length;
  const wait = page.getByText('Sends when your files are read.');
  const release = holdLook();
  await field.fill('What does the letter say?');
  await give('letter.txt', Buffer.from('Come home.\n'));
  await attached().getByText('letter.txt').waitFor();
  await button('Start').click();
  await wait.waitFor();
  await page.keyboard.press('Escape');
  await wait.waitFor({ state: 'detached' });
  await field.press('Enter');
  await wait.waitFor();
  expect((await core.client.sessions.list()).length).toBe(before);
  release();
  await page.getByRole('log').getByText('What does the letter say?').first().waitFor();
  expect((await core.client.sessions.list()).length).toBe(before + 1);
});

describe('sixty files', () => {
  it('are never cut, refused or hidden without a notice before sending', async () => {
    expect(madeFiles).toHaveLength(60);
    const counts = await countAttachments();
    expect(counts.silent).toEqual([]);
    expect(counts.cut).toBeGreaterThan(5);
    expect(counts.refused).toBeGreaterThan(5);
    expect(counts.unseen).toBeGreaterThan(3);
  }, 120_000);
});
