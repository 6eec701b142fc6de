import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import type { ChatServer } from '../fakes/chat-server.ts';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import { change, complete, tool } from '../faults/program.ts';
import type { Launched, Place } from './launch.ts';
import { launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';
import { pickModel } from './pick-model.ts';

/** A day's work in the real app, with the real core and real containers. Only the models are scripted. */
const guarded = 'tests/test_port.py';
const before = 'def test_port(): assert 8000 < 8123\n';
/**
 * A price of one dollar per thousand output tokens: the first call fits under the limit below, and no further call
 * does.
 */
const price = { input: 100, output: 1000, source: 'test', date: '2026-11-21' };
const maxUsd = '2';
const dearReply = { text: 'word '.repeat(800), toolCalls: [{ name: 'read_file', input: { path: guarded } }] };

/** The answers of the local model, one after the other. */
const replies = [
  // Denied.
  tool('read_file', { path: guarded }),
  tool('write_file', { path: guarded, content: 'def test_port(): pass\n' }),
  tool('write_file', { path: 'port.py', content: 'PORT = 8123\n' }),
  complete('Without the guarded file.'),
  // After the limit is reached.
  { text: 'It is 8123, said here.' },
  // In the fork.
  change('fork.txt'),
  complete('The fork is done.'),
  // In the comparison.
  change('solved.txt'),
  complete('Compared.'),
];

const delta = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
const said = (content: string): string => frame({ ...delta, choices: [{ index: 0, delta: { content } }] });

describe.skipIf(isWithoutEngine)('the app at work', () => {
  let place: Place;
  let launched: Launched;
  let chat: ChatServer;
  let endDisplay: () => void;
  let page: Page;

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    chat = await startChatServer();
    place = preparePlace([]);
    const paid = { kind: 'scripted', where: 'cloud', price, replies: [dearReply] };
    const slow = { kind: 'openai-compatible', baseUrl: chat.baseUrl, where: 'local' };
    place.script(replies, { cloud: 'paid/script', providers: { paid, slow } });
    mkdirSync(join(place.project, 'tests'));
    writeFileSync(join(place.project, guarded), before);
    launched = await launch(place.home, { hasEngine: true });
    ({ page } = launched);
  });

  afterAll(async () => {
    await launched?.app.close();
    await chat?.close();
    place?.remove();
    endDisplay?.();
  });

  const outcome = (reason: string) => page.locator(`[data-outcome="${reason}"]`);

  async function start(task: string, choose = async (): Promise<void> => undefined): Promise<void> {
    await page.getByRole('button', { name: 'New task', exact: true }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill(task);
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await choose();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
  }

  it('leaves a guarded file alone after a no, and goes on', async () => {
    await start('Make the tests quicker.');
    const deny = page.getByRole('alertdialog', { name: 'Approval needed' }).getByRole('button', { name: 'Deny' });
    await expect.poll(() => deny.getAttribute('aria-disabled')).toBe('false');
    await deny.click();
    await outcome('done').getByText('Without the guarded file.').waitFor();
    expect(readFileSync(join(place.project, guarded), 'utf8')).toBe(before);
    expect(readFileSync(join(place.project, 'port.py'), 'utf8')).toBe('PORT = 8123\n');
  });

  it('asks at a cap, and goes on locally at no cost when a person says so', async () => {
    await start('Which port is it?', async () => {
      await pickModel(page, 'paid/script');
      await page.getByText('More options').click();
      await page.getByRole('spinbutton', { name: 'Spending limit in US dollars' }).fill(maxUsd);
    });
    const dialog = page.getByRole('alertdialog', { name: 'The next call could exceed your limit' });
    await dialog.getByRole('button', { name: 'Continue locally' }).click();
    await page.locator('[data-outcome]').getByText('It is 8123, said here.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    const dots = page.getByRole('list', { name: 'Where each step ran' });
    await expect.poll(() => dots.locator('[data-where=cloud]').count()).toBe(1);
    expect(await dots.locator('[data-where=local]').count()).toBeGreaterThan(0);
  });

  it('finds a session by its words, and forks a copy from the found message', async () => {
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('guarded file');
    await page
      .getByRole('button', { name: /Without the guarded file/u })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Make the tests quicker.' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('');
    await page.getByRole('button', { name: 'Edit and resend' }).first().click();
    const field = page.getByRole('textbox', { name: 'Edit message' });
    await field.fill('Add a file for the fork.');
    await field.press('Enter');
    await page.getByText('This is another branch. The others are kept.').waitFor();
    await outcome('done').getByText('The fork is done.').waitFor();
    expect(existsSync(join(place.project, 'fork.txt'))).toBe(false);
  });

  it('compares where a task runs, and says what solved it', async () => {
    await page.getByRole('navigation').getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'New comparison' }).click();
    const form = page.getByRole('form', { name: 'New comparison' });
    await form.getByLabel('Task').fill('Make the file solved.txt.');
    await form.getByLabel('Project folder').fill(place.project);
    await form.getByLabel('Success check').fill('test -e solved.txt');
    while ((await form.getByRole('button', { name: 'Remove way 2' }).count()) > 0) {
      await form.getByRole('button', { name: 'Remove way 2' }).click();
    }
    await form.getByRole('button', { name: 'Start' }).click();
    await page
      .getByRole('row', { name: /^local/u })
      .getByText('1 of 1')
      .waitFor();
    expect(existsSync(join(place.project, 'solved.txt'))).toBe(false);
  });

  it('saves the result as Markdown and as spreadsheet lines in the file that a dialog names', async () => {
    const save = async (button: string, name: string): Promise<string> => {
      const file = join(place.project, name);
      await launched.app.evaluate(({ session }, path) => {
        // Replaces the dialog in which the user names the file.
        session.defaultSession.once('will-download', (_event, item) => {
          Reflect.set(globalThis, 'offered', item.getFilename());
          item.setSavePath(path);
          item.once('done', (_done, state) => void Reflect.set(globalThis, 'saved', `${path} ${state}`));
        });
      }, file);
      await page.getByRole('button', { name: button, exact: true }).click();
      const saved = (): Promise<unknown> => launched.app.evaluate(() => Reflect.get(globalThis, 'saved'));
      await expect.poll(saved).toBe(`${file} completed`);
      expect(await launched.app.evaluate(() => Reflect.get(globalThis, 'offered'))).toMatch(
        /^comparison-.*\.(?:md|csv|html)$/u,
      );
      return readFileSync(file, 'utf8');
    };
    const markdown = await save('Save as Markdown', 'result.md');
    expect(markdown).toContain('- Task: Make the file solved.txt.');
    expect(markdown).toMatch(/^\| local \| 1 of 1 \|/mu);
    const [head, line = '', ...rest] = (await save('Save as CSV', 'result.csv')).split('\n');
    expect(head).toMatch(/^way,repeat,state,solved,/u);
    expect(line).toMatch(/^local,1,ended,true,done,/u);
    expect(line).toContain(',test -e solved.txt,');
    expect(rest).toEqual(['']);
  });

  it('stops in the middle of an answer, and keeps what was written', async () => {
    chat.behave({ type: 'stream', body: said('The first half of an answer'), after: 'hang' });
    await page.locator('[data-session]', { hasText: 'Which port is it?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which port is it?' }).waitFor();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('/model slow/m');
    await message.press('Enter');
    // The list shows the model's name before the command has taken effect. A message sent then would go to another
    // model.
    await expect.poll(() => message.inputValue()).toBe('');
    await page
      .getByRole('button', { name: /^Model: /u })
      .and(page.getByTitle('slow/m', { exact: true }))
      .waitFor();
    await message.fill('Tell me a long story, and change nothing.');
    await message.press('Enter');
    await page.getByRole('log').getByText('The first half of an answer').first().waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await outcome('cancelled').getByText('Stopped by you').waitFor();
    await page.getByRole('log').getByText('The first half of an answer').first().waitFor();
    expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
  });
});
