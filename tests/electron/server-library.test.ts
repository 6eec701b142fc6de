import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatServer } from '../fakes/chat-server.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import { libraryServer, serveMcp } from '../fakes/mcp-http-server.ts';
import { violations } from './axe.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** What a tool server offers to the user, in the real app: a real server is added, approved and used by hand. */
let endDisplay: () => void;
let place: Place;
let launched: Launched;
let chat: ChatServer;
let server: Awaited<ReturnType<typeof serveMcp>>;
let page: Page;

const delta = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
const said = (content: string): string =>
  `${frame({ ...delta, choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })}data: [DONE]\n\n`;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  chat = await startChatServer();
  chat.behave({ type: 'stream', body: said('At seven.'), after: 'end' });
  server = await serveMcp(libraryServer);
  place = preparePlace([]);
  const seeing = { kind: 'openai-compatible', baseUrl: chat.baseUrl, where: 'local', models: { m: { images: true } } };
  place.script([], { local: 'here/m', providers: { here: seeing } });
  launched = await launch(place.home);
  ({ page } = launched);
  await page.getByRole('navigation').getByRole('button', { name: 'Tools', exact: true }).click();
  await page
    .getByRole('textbox', { name: 'Command, address, link or JSON' })
    .fill(JSON.stringify({ mcpServers: { library: { type: 'http', url: server.url } } }));
  await page.getByRole('button', { name: 'Add server' }).first().click();
  const card = page.getByRole('region', { name: 'library', exact: true });
  await card.getByRole('button', { name: 'Approve and start' }).click();
  await card.getByText('May agents call these tools?').waitFor();
  await page.getByRole('button', { name: 'New task', exact: true }).click();
}, 120_000);

afterAll(async () => {
  await launched?.app.close();
  await server?.close();
  await chat?.close();
  place?.remove();
  endDisplay?.();
});

const logged = (): string =>
  readdirSync(join(place.home, 'sessions'))
    .map((id) => readFileSync(join(place.home, 'sessions', id, 'events.jsonl'), 'utf8'))
    .join('');
const offers = () =>
  page.getByRole('listbox', { name: 'Files, symbols, sessions and tool servers' }).getByRole('option');
const chips = () => page.locator('form').getByRole('list', { name: 'Attached' }).getByRole('listitem');

describe('an @ in the window', () => {
  it("attaches a text of a server as others' words, and the log keeps it", async () => {
    const field = page.getByRole('textbox', { name: 'Task', exact: true });
    await field.pressSequentially('When is the cat fed? @rules');
    await offers().getByText('House rules').waitFor();
    await keepScreenshot(page, 'server-resource-offer');
    expect(await violations(page)).toEqual([]);
    await field.press('Enter');
    await chips().getByText('library: rules.md').waitFor();
    await chips().getByText('from a tool server').waitFor();
    expect(await field.inputValue()).toBe('When is the cat fed? ');
    await keepScreenshot(page, 'server-resource');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('[data-outcome=answered]').getByText('At seven.').waitFor();
    const asked = JSON.stringify(chat.requests.at(-1));
    expect(asked).toContain('Attached from the tool server library, as data: library: rules.md');
    expect(asked).toContain('Feed the cat at 7.');
    expect(logged()).toContain('"source":{"server":"library","uri":"notes://house/rules.md"}');
  });

  it('fills the place of a template with typed words, and attaches a picture as a picture', async () => {
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.pressSequentially('What was on Monday? @day');
    await offers().getByText('notes://day/{day}').click();
    expect(await field.inputValue()).toBe('What was on Monday? @library:notes://day/');
    await field.pressSequentially('monday');
    await offers().getByText('notes://day/monday').waitFor();
    await field.press('Enter');
    await chips().getByText('library: monday').waitFor();
    await field.pressSequentially('@square');
    await offers().getByText('square.png').waitFor();
    await field.press('Enter');
    await expect.poll(() => chips().count()).toBe(2);
    await field.press('Enter');
    await expect.poll(() => page.locator('[data-outcome=answered]').count()).toBe(2);
    const asked = JSON.stringify(chat.requests.at(-1));
    expect(asked).toContain('On monday it rained.');
    expect(asked).toContain('data:image/png;base64,');
  });

  it('starts a prompt with / whose arguments are fields and whose text is shown first', async () => {
    const field = page.getByRole('textbox', { name: 'Message' });
    const commands = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    await field.pressSequentially('/tri');
    await commands.getByText('/library:trip').waitFor();
    await field.press('Enter');
    const form = page.getByRole('form', { name: 'Arguments of the prompt' });
    await form.getByText('Where to go.').waitFor();
    await keepScreenshot(page, 'server-prompt');
    expect(await violations(page)).toEqual([]);
    const take = form.getByRole('button', { name: 'Insert text' });
    expect(await take.isDisabled()).toBe(true);
    const before = chat.requests.length;
    await form.getByLabel('city').fill('Rome');
    await form.getByLabel('city').press('Enter');
    await form.waitFor({ state: 'detached' });
    await expect.poll(() => field.inputValue()).toBe('Plan two days in Rome.<U+202E>');
    expect(chat.requests.length).toBe(before);
    await field.fill('/library:rev');
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Review these notes.');
    await chips().getByText('library: plan.md').waitFor();
    await field.press('Enter');
    await expect.poll(() => page.locator('[data-outcome=answered]').count()).toBe(3);
    expect(JSON.stringify(chat.requests.at(-1))).toContain('Buy paint.');
  });

  it('says when the server is gone, and still shows what was attached before', async () => {
    await server.close();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('@rules');
    await offers().getByText('House rules').waitFor();
    await field.press('Enter');
    await page.getByText('The tool server library').first().waitFor();
    expect(await chips().count()).toBe(0);
    expect(await page.getByRole('list', { name: 'Attached' }).getByText('library: monday').count()).toBe(1);
  });
});
