import type { ClientCore } from '../fakes/core-client.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClientCore } from '../fakes/core-client.ts';
import { createMemorySandbox } from '../../src/main/sandbox/memory/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const price = { input: 1, output: 1, source: 'test', date: '2026-11-21' };

/** The page on a real core: of four written models two see pictures, one here and one elsewhere. */
let folder: string;
let core: ClientCore;
let served: ServedPage;

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
  await core.client.settings.set({ key: 'local', value: 'script/script' });
  await core.client.settings.set({ key: 'cloud', value: 'dim/script' });
  served = await servePage(core);
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
  return sessionId;
}

async function send(where: string): Promise<void> {
  const { page } = served;
  await page.getByRole('combobox', { name: 'Where steps run' }).selectOption(where);
  await page
    .getByRole('main')
    .locator('input[type=file]')
    .setInputFiles({ name: 'shot.png', mimeType: 'image/png', buffer: picture });
  await page.getByRole('button', { name: 'Image shot.png' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('What is in it?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('[data-outcome=missing]').waitFor();
}

const offer = () => served.page.getByRole('region', { name: 'Image not seen' });
const offered = () =>
  offer().getByRole('combobox', { name: 'Model that supports images' }).getByRole('option').allInnerTexts();

describe('a picture that no model of its message sees', () => {
  it('is sent again to one that sees and runs here; where only that was allowed the cloud is not offered', async () => {
    const { page } = served;
    const sessionId = await begin('A picture that stays');
    await send('local');
    await offer().getByText('1 cloud model does').waitFor();
    expect(await offered()).toEqual(['eyes/script (Local)']);
    expect(await violations(page)).toEqual([]);
    await offer().getByRole('button', { name: 'Switch and resend' }).click();
    await page.locator('[data-outcome=answered]').getByText('Seen here.').waitFor();
    expect(await offer().count()).toBe(0);
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.messages.map(({ text, attachments }) => [text, attachments?.map(({ name }) => name)])).toEqual([
      ['What is in it?', ['shot.png']],
      ['What is in it?', ['shot.png']],
    ]);
    expect(state.steps.map(({ model }) => model)).toEqual(['eyes/script']);
  });

  it('may be seen elsewhere where its message might have gone there', async () => {
    const { page } = served;
    const sessionId = await begin('A picture that may go');
    await send('hybrid');
    await offer().waitFor();
    expect((await offered()).toSorted()).toEqual(['eyes/script (Local)', 'sky/script (Cloud)']);
    await offer().getByRole('combobox', { name: 'Model that supports images' }).selectOption('sky/script');
    await offer().getByRole('button', { name: 'Switch and resend' }).click();
    await page.locator('[data-outcome=answered]').getByText('Seen elsewhere.').waitFor();
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.steps.map(({ model }) => model)).toEqual(['sky/script']);
  });
});
