import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import type { ChatServer } from '../fakes/chat-server.ts';
import { freePort } from '../fakes/free-port.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import { node } from '../faults/program.ts';
import { violations } from './axe.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** The reference server of the protocol in the real app, with real containers: it gives an image back, and asks a model. */
const everything = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const base = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunk = (delta: unknown, finish: string | null = null): string =>
  frame({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
const stream = (body: string) => ({ type: 'stream', body: `${body}data: [DONE]\n\n`, after: 'end' }) as const;
const says = (content: string) => stream(chunk({ content }) + chunk({}, 'stop'));
const calls = (name: string, input: unknown) => {
  const call = { index: 0, id: name, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return stream(chunk({ role: 'assistant', tool_calls: [call] }) + chunk({}, 'tool_calls'));
};

describe.skipIf(isWithoutEngine)('what a tool server answers', { timeout: 180_000 }, () => {
  let endDisplay: () => void;
  let place: Place;
  let launched: Launched;
  let chat: ChatServer;
  let server: ChildProcess;
  let page: Page;

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    chat = await startChatServer();
    const port = await freePort();
    const env = { ...process.env, PORT: String(port) };
    server = spawn(node, [everything, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    place = preparePlace([]);
    const seeing = {
      kind: 'openai-compatible',
      baseUrl: chat.baseUrl,
      where: 'local',
      models: { m: { images: true } },
    };
    place.script([], { local: 'here/m', providers: { here: seeing } });
    launched = await launch(place.home, { hasEngine: true });
    ({ page } = launched);
    await page.getByRole('navigation').getByRole('button', { name: 'Tools', exact: true }).click();
    const definition = { type: 'http', url: `http://127.0.0.1:${port}/mcp` };
    await page
      .getByRole('textbox', { name: 'Address, link or JSON' })
      .fill(JSON.stringify({ mcpServers: { reference: definition } }));
    await page.getByRole('button', { name: 'Add server' }).first().click();
    const card = page.getByRole('region', { name: 'reference', exact: true });
    await card.getByRole('button', { name: 'Approve and start' }).click();
    await card.getByText('May agents call these tools?').waitFor();
    await card.getByRole('button', { name: /^Approve these/u }).click();
  }, 180_000);

  afterAll(async () => {
    await launched?.app.close();
    server?.kill();
    await chat?.close();
    place?.remove();
    endDisplay?.();
  });

  const dialog = () => page.getByRole('alertdialog', { name: 'Approval needed' });
  const allow = async (): Promise<void> => {
    const yes = dialog().getByRole('button', { name: 'Allow', exact: true });
    await expect.poll(() => yes.getAttribute('aria-disabled')).toBe('false');
    await yes.click();
  };

  it('is shown as an image in the talk, and to a model that sees', async () => {
    chat.behave(calls('reference__get-tiny-image', {}), says('It is the logo.'));
    await page.getByRole('button', { name: 'New task', exact: true }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('Get the tiny image and say what it shows.');
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog().getByText('reference: get-tiny-image').waitFor();
    await allow();
    await page.locator('[data-outcome]').getByText('It is the logo.').waitFor();
    const picture = page.getByRole('button', { name: 'Picture reference__get-tiny-image 1' });
    await picture.waitFor();
    // Drawn, not only there.
    await expect
      .poll(() =>
        picture.locator('img').evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)),
      )
      .toBe(20);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'server-image');
    const asked = JSON.stringify(chat.requests.at(-1));
    expect(asked).toContain('[image 1, 20 × 20 pixels');
    expect(asked).toContain('data:image/png;base64,');
  });

  it('may be a question to a model, which nobody answers before a yes to its words', async () => {
    chat.behave(
      calls('reference__trigger-sampling-request', { prompt: 'Six by seven?\u202E' }),
      says('It is 42.'),
      says('The server says 42.'),
    );
    const before = chat.requests.length;
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Have the server ask a model what six by seven is.');
    await field.press('Enter');
    await dialog().getByText('reference: trigger-sampling-request').waitFor();
    await allow();
    await dialog().getByText('A tool server asks your model to answer this').waitFor();
    await dialog().getByText('The server says (not verified):').waitFor();
    await dialog().getByText('You are a helpful test server.').waitFor();
    await dialog().getByText('answers it here').waitFor();
    expect(await dialog().locator('[data-seen=hidden]').innerText()).toBe('U+202E');
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'server-asks-model');
    expect(chat.requests.length).toBe(before + 1);
    await allow();
    await page.locator('[data-outcome]').getByText('The server says 42.').waitFor();
    const [, question, last] = chat.requests.slice(before).map((one) => JSON.stringify(one));
    expect(question).toContain('Six by seven?');
    expect(question).not.toContain('tiny image');
    expect(last).toContain('It is 42.');
  });
});
