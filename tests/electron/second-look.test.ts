import type { ClientCore } from '../fakes/core-client.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openClientCore } from '../fakes/core-client.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import type { ChatServer } from '../fakes/chat-server.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { pickModel } from './pick-model.ts';

const price = { input: 1, output: 1, source: 'test', date: '2026-11-22' };
const edit = (old: string, text: string) => ({
  toolCalls: [{ name: 'edit_file', input: { path: 'a.py', old, new: text } }],
});
const said = [
  frame({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'It is right.' }, finish_reason: 'stop' }],
  }),
  'data: [DONE]\n\n',
].join('');

/** The page on a real core, with a scripted local model and a service that is unreachable and comes back. */
let folder: string;
let core: ClientCore;
let served: ServedPage;
let service: ChatServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-away-'));
  mkdirSync(join(folder, 'project'));
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'a.py': 'x = 1\n' } })),
  });
  // Nothing listens at this address for now.
  service = await startChatServer();
  await service.close();
  const replies = [
    edit('no such text', ''),
    edit('nor this one', ''),
    edit('x = 1', 'x = 2'),
    { toolCalls: [{ name: 'task_complete', input: { summary: 'It is 2.' } }] },
  ];
  await core.client.settings.set({
    key: 'providers.script',
    value: { kind: 'scripted', strategies: ['loop'], replies },
  });
  const models = { m: { strategies: ['loop'], price } };
  await core.client.settings.set({
    key: 'providers.sky',
    value: {
      kind: 'openai-compatible',
      baseUrl: service.baseUrl,
      where: 'cloud',
      models,
    },
  });
  await core.client.settings.set({ key: 'local', value: 'script/script' });
  await core.client.settings.set({ key: 'cloud', value: 'sky/m' });
  await core.client.settings.set({ key: 'routing.numbers', value: { advice: false } });
  served = await servePage(core);
  await served.resize(1100, 800);
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('work done without a network is offered to the cloud later, and sent there after a yes', async () => {
  const { page } = served;
  const log = page.getByRole('log', { name: 'What happened' });
  await core.client.sessions.create({ projectPath: join(folder, 'project'), title: 'Away' });
  await page.locator('[data-session]', { hasText: 'Away' }).click();
  await page.getByRole('heading', { level: 1, name: 'Away' }).waitFor();
  await pickModel(page, 'auto:hybrid');
  await page.getByRole('textbox', { name: 'Message' }).fill('Set x to 2 in a.py.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await log.getByText('could not be reached').waitFor();
  await page.locator('[data-outcome=done]').waitFor();
  service = await startChatServer(Number(new URL(service.baseUrl).port));
  service.behave({ type: 'stream', body: said, after: 'end' });
  const offer = page.getByRole('region', { name: 'Cloud review' });
  await offer.waitFor();
  await log.getByText('can be reached again').waitFor();
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'second-look');
  expect(service.requests).toEqual([]);
  await offer.getByRole('button', { name: 'Review in cloud' }).click();
  await log.getByText('You asked for a cloud review.').click();
  await log.getByText('A smaller model did this while the cloud was out of reach').waitFor();
  await log.getByText('It is right.').first().waitFor();
  expect(JSON.stringify(service.requests[0])).toContain('Set x to 2 in a.py.');
  await offer.waitFor({ state: 'detached' });
});
