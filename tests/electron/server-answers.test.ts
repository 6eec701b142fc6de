import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import type { ChatServer } from '../fakes/chat-server.ts';
import { redSquare, serveMcp } from '../fakes/mcp-http-server.ts';
import { freePort } from '../fakes/free-port.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import { node } from '../faults/program.ts';
import { violations } from './axe.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** The protocol's reference server in the real app with real containers. It returns an image and asks a model. */
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

/** A server built with the reference package of the new revision. It returns a list and asks a model about an image. */
function listing(): McpServer {
  const server = new McpServer({ name: 'listing', version: '1' });
  server.registerTool('days', { description: 'The weather of some days.' }, async () => ({
    content: [{ type: 'text', text: '2 days' }],
    structuredContent: {
      days: [
        { day: 'Monday', degrees: 21 },
        { day: 'Tuesday\u202E', degrees: 3 },
      ],
    },
  }));
  server.registerTool('look', { description: 'Has a model look at an image.' }, async (ctx) => {
    const given = ctx.mcpReq.inputResponses;
    if (given !== undefined) return { content: [{ type: 'text', text: JSON.stringify(given) }] };
    const content = [
      { type: 'text' as const, text: 'Which color is it?' },
      { type: 'image' as const, data: redSquare, mimeType: 'image/png' },
    ];
    const wanted = { messages: [{ role: 'user' as const, content }], maxTokens: 50 };
    return inputRequired({ inputRequests: { it: inputRequired.createMessage(wanted) } });
  });
  return server;
}

describe.skipIf(isWithoutEngine)('what a tool server answers', () => {
  let endDisplay: () => void;
  let place: Place;
  let launched: Launched;
  let chat: ChatServer;
  let server: ChildProcess;
  let lists: Awaited<ReturnType<typeof serveMcp>>;
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
    lists = await serveMcp(listing);
    await page
      .getByRole('textbox', { name: 'Command, address, link or JSON' })
      .fill(JSON.stringify({ mcpServers: { reference: definition, listing: { type: 'http', url: lists.url } } }));
    await page.getByRole('button', { name: 'Add server' }).first().click();
    for (const name of ['reference', 'listing']) {
      const card = page.getByRole('region', { name, exact: true });
      await card.getByRole('button', { name: 'Approve and start' }).click();
      await card.getByText('May agents call these tools?').waitFor();
      await card.getByRole('button', { name: /^Approve these/u }).click();
    }
  }, 180_000);

  afterAll(async () => {
    await launched?.app.close();
    server?.kill();
    await lists?.close();
    await chat?.close();
    place?.remove();
    endDisplay?.();
  });

  const dialog = () => page.getByRole('alertdialog', { name: 'Approval needed' });
  const allow = async (): Promise<void> => {
    const yes = dialog().getByRole('button', { name: /^Allow(?: once)?$/u });
    await expect.poll(() => yes.getAttribute('aria-disabled')).toBe('false');
    await yes.click();
  };

  it('is shown as an image in the conversation, and to a model that sees', async () => {
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
    // The image must be drawn, not only present.
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

  it('can be a question to a model, which is answered only after a yes to its words', async () => {
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

  const ask = async (text: string): Promise<void> => {
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill(text);
    await field.press('Enter');
  };

  it('is shown as a table when it is a list, with nothing hidden in it', async () => {
    chat.behave(calls('listing__days', {}), says('Monday is warmer.'));
    await ask('Which day is warmer?');
    await dialog().getByText('listing: days').waitFor();
    await allow();
    await page.locator('[data-outcome]').getByText('Monday is warmer.').waitFor();
    const table = page.locator('figure[data-canvas=table]');
    await table.getByRole('cell', { name: 'Monday' }).waitFor();
    expect(await table.innerText()).not.toContain('\u202E');
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'server-table');
    expect(JSON.stringify(chat.requests.at(-1))).toContain('2 days');
  });

  it('can be a question about an image, which is shown before the yes', async () => {
    chat.behave(calls('listing__look', {}), says('It is red.'), says('The server knows that it is red.'));
    await ask('Have the server look at its image.');
    await dialog().getByText('listing: look').waitFor();
    await allow();
    await dialog().getByText('A tool server asks your model to answer this').waitFor();
    const image = dialog()
      .getByRole('button', { name: /listing 1/u })
      .locator('img');
    await expect
      .poll(() => image.evaluate((shown) => (shown instanceof HTMLImageElement ? shown.naturalWidth : 0)))
      .toBe(4);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'server-asks-about-image');
    await allow();
    await page.locator('[data-outcome]').getByText('The server knows that it is red.').waitFor();
    expect(JSON.stringify(chat.requests.at(-2))).toContain(redSquare);
  });
});
