import type { ClientCore } from '../fakes/core-client.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClientCore } from '../fakes/core-client.ts';
import { createFakeHandlers } from '../fakes/fake-handlers.ts';
import { pdfFile } from '../fakes/pdf-file.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { pickModel } from './pick-model.ts';

/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pictures = process.env.DEWPOINT_ATTACHMENT_PICTURES;
/** Three pages, of which two are pictures. */
const scan = pdfFile({ pages: [['Cover'], [], []] });
const longName = 'quarterly-report-of-the-northern-warehouses-with-all-signed-appendices-2026-11';
const price = { input: 1, output: 1, source: 'test', date: '2026-11-21' };

/** The page on a real core: two of four scripted models see images, one local and one in the cloud. */
let folder: string;
let core: ClientCore;
let served: ServedPage;
/** Whether the models of a message have a projector, which a llama-server would use. */
let hasProjector = false;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-unseen-'));
  mkdirSync(join(folder, 'project'));
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  const scripted = (text: string, more: object) => ({
    kind: 'scripted',
    strategies: ['loop'],
    repeat: true,
    replies: [{ text }],
    ...more,
  });
  await core.client.settings.set({ key: 'providers.script', value: scripted('I am blind.', {}) });
  await core.client.settings.set({ key: 'providers.eyes', value: scripted('Seen here.', { images: true }) });
  await core.client.settings.set({
    key: 'providers.dim',
    value: scripted('I am blind, elsewhere.', { where: 'cloud', price }),
  });
  await core.client.settings.set({
    key: 'providers.sky',
    value: scripted('Seen elsewhere.', { where: 'cloud', price, images: true }),
  });
  await core.client.settings.set({ key: `providers.${longName}`, value: scripted('I am blind, too.', {}) });
  await core.client.settings.set({ key: 'local', value: 'script/script' });
  await core.client.settings.set({ key: 'cloud', value: 'dim/script' });
  const { attachments, ...real } = core.handlers;
  const preview: typeof attachments.preview = async (call) => {
    const told = await attachments.preview(call);
    return hasProjector ? { ...told, couldSee: told.models } : told;
  };
  served = await servePage(createFakeHandlers(real, { attachments: { ...attachments, preview } }));
  await served.resize(1100, 800);
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function begin(title: string): Promise<string> {
  const { sessionId } = await core.client.sessions.create({ projectPath: join(folder, 'project'), title });
  await served.page.locator('[data-session]', { hasText: title }).click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
  return sessionId;
}

/** Sends as a host without a check would. The window itself holds such a message back. */
async function send(sessionId: string, policy: 'local' | 'hybrid'): Promise<void> {
  const shot = await core.client.attachments.keep({ name: 'shot.png', data: picture.toString('base64') });
  const options = { policy, approve: 'ask' as const };
  await core.client.sessions.send({ sessionId, text: 'What is in it?', options, attachments: [shot] });
  await served.page.locator('[data-outcome=missing]').waitFor();
}

async function give(
  model: string,
  file: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer },
) {
  const { page } = served;
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await pickModel(page, model);
  await page.getByRole('main').locator('input[type=file]').setInputFiles(file);
}

/** Pictures of the notice in both looks and both sizes. Nothing may be wider than the window. */
async function look(name: string): Promise<void> {
  const { page, resize } = served;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [width, height] of [
      [1360, 860],
      [900, 700],
    ] as const) {
      await resize(width, height);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
      await keepScreenshot(page, `${name}-${colorScheme}-${width}`);
    }
    expect(await violations(page)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await resize(1100, 800);
}

async function attach(model: string): Promise<void> {
  const { page } = served;
  await give(model, { name: 'shot.png', mimeType: 'image/png', buffer: picture });
  await page.getByRole('button', { name: 'Image shot.png' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('What is in it?');
}

const offer = () => served.page.getByRole('region', { name: 'Image not seen' });
const offered = () =>
  offer().getByRole('combobox', { name: 'Model that supports images' }).getByRole('option').allInnerTexts();

const sendButton = () => served.page.getByRole('button', { name: 'Send', exact: true });
const notice = () => served.page.getByRole('status').filter({ hasText: 'cannot see images' });

describe('a picture in the field that no model of its message sees', () => {
  it('holds the message until a model with vision is chosen, which then gets it', async () => {
    const { page } = served;
    const sessionId = await begin('A picture that is asked about');
    await attach('script/script');
    await notice().getByText('1 cloud model does').waitFor();
    expect(await sendButton().isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    expect((await core.client.sessions.show({ sessionId })).state.messages).toEqual([]);
    await expect.poll(() => notice().getByRole('option').allInnerTexts()).toEqual(['eyes/script (Local)']);
    expect(await violations(page)).toEqual([]);
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, 'unseen.png') });
    await notice().getByRole('button', { name: 'Use this model' }).click();
    await expect.poll(() => sendButton().isDisabled()).toBe(false);
    await notice().waitFor({ state: 'detached' });
    await sendButton().click();
    await page.locator('[data-outcome=answered]').getByText('Seen here.').waitFor();
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.steps.map(({ model }) => model)).toEqual(['eyes/script']);
    expect(state.messages).toHaveLength(1);
  });

  it('is told of beside long names in both looks and sizes', async () => {
    hasProjector = true;
    await begin(`A picture beside ${longName}`);
    await give(`${longName}/script`, { name: `${longName}.png`, mimeType: 'image/png', buffer: picture });
    await notice().getByRole('button', { name: 'Use this model' }).waitFor();
    await notice().getByText('With your own llama-server').waitFor();
    await notice().getByRole('button', { name: 'Set up llama-server' }).waitFor();
    await look('unseen-image');
    hasProjector = false;
    await notice().getByRole('button', { name: 'Leave out image' }).click();
    await expect.poll(() => notice().count()).toBe(0);
  });

  it('can be left out, and the words are sent alone', async () => {
    const sessionId = await begin('A picture that is left out');
    await attach('script/script');
    await notice().getByRole('button', { name: 'Leave out image' }).click();
    await expect.poll(() => sendButton().isDisabled()).toBe(false);
    await sendButton().click();
    await served.page.getByText('I am blind.').first().waitFor();
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.messages.map(({ attachments }) => attachments ?? [])).toEqual([[]]);
  });
});

describe('pages of a PDF without text', () => {
  const file = { name: `${longName}.pdf`, mimeType: 'application/pdf', buffer: scan };
  const told = () => served.page.getByText(/2 pages without text go along as images, about \d,\d{3} tokens/u);
  const unread = () => served.page.getByRole('status').filter({ hasText: '2 pages without text are not read' });

  it('are told of before sending to a model that is blind, and go to one that sees by a click', async () => {
    const { page } = served;
    const sessionId = await begin('A scan that is asked about');
    await give(`${longName}/script`, file);
    await page.getByRole('textbox', { name: 'Message' }).fill('What is on page 2?');
    await unread().waitFor();
    // The text of the other pages can be sent all the same.
    await expect.poll(() => sendButton().isDisabled()).toBe(false);
    await look('scan-unseen');
    await unread().getByRole('button', { name: 'Use this model' }).click();
    await told().waitFor();
    await unread().waitFor({ state: 'detached' });
    await look('scan-sent');
    await sendButton().click();
    await page.locator('[data-outcome=answered]').getByText('Seen here.').waitFor();
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.steps.map(({ model }) => model)).toEqual(['eyes/script']);
  });
});

describe('a picture that no model of its message sees', () => {
  it('can be sent again to a local model with vision, and is not offered to the cloud under a local policy', async () => {
    const { page } = served;
    const sessionId = await begin('A picture that stays');
    await send(sessionId, 'local');
    await offer().getByText('1 cloud model does').waitFor();
    await expect.poll(offered).toEqual(['eyes/script (Local)']);
    expect(await violations(page)).toEqual([]);
    await offer().getByRole('button', { name: 'Switch and resend' }).click();
    await page.locator('[data-outcome=answered]').getByText('Seen here.').waitFor();
    await offer().waitFor({ state: 'detached' });
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.messages.map(({ text, attachments }) => [text, attachments?.map(({ name }) => name)])).toEqual([
      ['What is in it?', ['shot.png']],
      ['What is in it?', ['shot.png']],
    ]);
    expect(state.steps.map(({ model }) => model)).toEqual(['eyes/script']);
  });

  it('can be sent to a cloud model when its message was allowed to go there', async () => {
    const { page } = served;
    const sessionId = await begin('A picture that may go');
    await send(sessionId, 'hybrid');
    await offer().waitFor();
    await expect.poll(async () => (await offered()).toSorted()).toEqual(['eyes/script (Local)', 'sky/script (Cloud)']);
    await offer().getByRole('combobox', { name: 'Model that supports images' }).selectOption('sky/script');
    await offer().getByRole('button', { name: 'Switch and resend' }).click();
    await page.locator('[data-outcome=answered]').getByText('Seen elsewhere.').waitFor();
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.steps.map(({ model }) => model)).toEqual(['sky/script']);
  });
});
