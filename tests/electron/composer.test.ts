import type { ClientCore } from '../fakes/core-client.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, openClientCore } from '../fakes/core-client.ts';
import { createFakeHandlers } from '../fakes/fake-handlers.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import type { EventOf, SessionEvent } from '../../src/shared/events/events.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { reload } from './launch.ts';

/** The page on a real core with a scripted model: what a user enters reaches its destination. */
let folder: string;
let core: ClientCore;
let served: ServedPage;
let sessionId: string;
/** Until this resolves, no request for a list of files is answered. */
let mayFind = Promise.resolve();
/** Until this resolves, no question about a model is answered. */
let mayShow = Promise.resolve();
const pictures = process.env.DEWPOINT_COMPOSER_PICTURES;

const replies = [
  { text: 'I see a blue picture.' },
  { text: 'I will:\n\n1. Read a.py\n2. Change a.py\n3. Run the tests\n4. Write a poem' },
  { toolCalls: [{ name: 'write_file', input: { path: 'src/b.py', content: 'y = 2\n' } }] },
  { toolCalls: [{ name: 'task_complete', input: { summary: 'All steps are done.' } }] },
  { text: 'A picture was shown, and a plan was carried out.' },
  { toolCalls: [{ name: 'write_file', input: { path: 'src/b.py', content: 'y = 3\n' } }] },
  { toolCalls: [{ name: 'task_complete', input: { summary: 'It is three now.' } }] },
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-composer-'));
  const project = join(folder, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  mkdirSync(join(project, 'build'));
  writeFileSync(join(project, 'src', 'a.py'), 'first = 1\nsecond = 2\nthird = 3\n');
  writeFileSync(join(project, 'src', 'app.py'), 'x = 1\n');
  writeFileSync(join(project, 'dates.py'), 'import re\n\ndef parse_day(text):\n    return int(text)\n\nx = 1\n');
  writeFileSync(join(project, 'build', 'made.py'), 'x = 1\n');
  writeFileSync(join(project, '.gitignore'), 'build/\n');
  writeFileSync(join(project, '.env'), 'KEY=1\n');
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'src/a.py': 'first = 1\n' } })),
  });
  await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', images: true, replies } });
  await core.client.settings.set({ key: 'local', value: 'script/script' });
  sessionId = (await core.client.sessions.create({ projectPath: project, title: 'A talk with files' })).sessionId;
  const { attachments, models, ...real } = core.handlers;
  served = await servePage(
    createFakeHandlers(real, {
      attachments: {
        ...attachments,
        find: async (call) => {
          await mayFind;
          return attachments.find(call);
        },
      },
      models: {
        ...models,
        show: async (call) => {
          await mayShow;
          return models.show(call);
        },
      },
    }),
  );
  await served.resize(1100, 800);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
  await served.page.locator('[data-session]', { hasText: 'A talk with files' }).click();
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const message = () => served.page.getByRole('textbox', { name: 'Message' });
const attached = () => served.page.getByRole('main').locator('form').getByRole('list', { name: 'Attached' });

async function events(): Promise<readonly SessionEvent[]> {
  return eventsOf(core.client, sessionId);
}

async function lastMessage(): Promise<EventOf<'user-message-added'> | undefined> {
  const found = (await events()).findLast((event) => event.type === 'user-message-added');
  return found?.type === 'user-message-added' ? found : undefined;
}

async function shot(name: string): Promise<void> {
  if (pictures !== undefined) await served.page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Passes a file as the clipboard or a drag does. */
async function give(kind: 'paste' | 'drop'): Promise<void> {
  await message().evaluate(async (area, type) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [320, 180];
    const pen = canvas.getContext('2d');
    if (pen !== null) pen.fillStyle = type === 'paste' ? 'steelblue' : 'darkorange';
    pen?.fillRect(0, 0, 320, 180);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    const data = new DataTransfer();
    // The file name is misleading. The type is in the bytes.
    data.items.add(new File([blob ?? ''], `${type}.txt`, { type: 'text/plain' }));
    const init = { bubbles: true, cancelable: true };
    area.dispatchEvent(
      type === 'paste'
        ? new ClipboardEvent('paste', { ...init, clipboardData: data })
        : new DragEvent('drop', { ...init, dataTransfer: data }),
    );
  }, kind);
}

describe('the composer', () => {
  it('takes files by button, paste and drop, and keeps them after a reload', async () => {
    const { page } = served;
    const file = { name: 'notes.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') };
    await message().fill('What is this?');
    await page.getByRole('main').locator('input[type=file]').setInputFiles(file);
    await attached().getByText('notes.csv').waitFor();
    await give('paste');
    await attached().getByRole('button', { name: 'Image paste.txt, 320 × 180' }).waitFor();
    await give('drop');
    await attached().getByRole('button', { name: 'Image drop.txt, 320 × 180' }).waitFor();
    await reload(page);
    await attached().getByRole('button', { name: 'Image drop.txt' }).waitFor();
    expect(await message().inputValue()).toBe('What is this?');
    await attached().getByRole('button', { name: 'Remove drop.txt' }).click();
    expect(await attached().getByRole('listitem').count()).toBe(2);
    await expect
      .poll(() =>
        attached()
          .locator('img')
          .evaluate((image) => Reflect.get(image, 'naturalWidth')),
      )
      .toBe(320);
  });

  it('says what cannot be attached, and why', async () => {
    const { page } = served;
    const file = { name: 'thing.png', mimeType: 'image/png', buffer: Buffer.from([0, 1, 2, 3]) };
    await page.getByRole('main').locator('input[type=file]').setInputFiles(file);
    await page
      .getByRole('alert')
      .getByText('thing.png is neither text, a PDF, a Word or Excel file, nor a supported image')
      .waitFor();
    await shot('problem');
    expect(await page.getByRole('button', { name: 'Attach as JPEG' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Leave out' }).click();
  });

  it('completes a file after an @ by keyboard, without what is ignored, and marks what stays here', async () => {
    const { page } = served;
    await message().fill('What is this? See @');
    const files = page.getByRole('listbox', { name: 'Files, symbols, sessions and tool servers' }).getByRole('option');
    await files.first().waitFor();
    const shown = await files.allInnerTexts();
    expect(shown.join('\n')).toContain('.env');
    expect(shown.find((one) => one.includes('.env'))).toContain('stays on this machine');
    expect(shown.join('\n')).not.toContain('made.py');
    await message().pressSequentially('apy');
    await expect.poll(async () => (await files.allInnerTexts())[0]).toBe('src/a.py');
    await shot('mention');
    await message().press('ArrowDown');
    await message().press('ArrowUp');
    await message().press('Enter');
    expect(await message().inputValue()).toBe('What is this? See @src/a.py ');
    expect(await violations(page)).toEqual([]);
  });

  // Catches: a symbol that is offered without its place, or whose lines the parser of mentions does not understand.
  it('offers a function by its name, and brings its lines', async () => {
    const { page } = served;
    await message().fill('');
    await message().pressSequentially('What is this? See @parse_da');
    const symbol = page
      .getByRole('listbox', { name: 'Files, symbols, sessions and tool servers' })
      .getByRole('option')
      .first();
    await expect.poll(() => symbol.innerText()).toContain('parse_day — dates.py:3');
    await shot('symbol');
    expect(await symbol.getAttribute('aria-selected')).toBe('true');
    expect(await violations(page)).toEqual([]);
    await message().press('Enter');
    expect(await message().inputValue()).toBe('What is this? See @dates.py:3-4 ');
  });

  it('sends what was attached, shows it, and the model gets it', async () => {
    const { page } = served;
    // The previous list of files is still shown. This Enter does not choose from it.
    let find = (): void => undefined;
    mayFind = new Promise((resolve) => (find = resolve));
    await message().fill('What is this? See @src/a.py:2-3');
    await shot('attached');
    // The page first asks what the model will get of the files. It sends nothing before the answer.
    await expect
      .poll(() => page.getByRole('main').getByRole('button', { name: 'Send', exact: true }).isEnabled())
      .toBe(true);
    await message().press('Enter');
    find();
    await page.getByRole('log').getByText('I see a blue picture.').first().waitFor();
    const sent = page.getByRole('article', { name: 'You' });
    await sent.getByRole('button', { name: 'Image paste.txt' }).click();
    await sent.getByText('src/a.py (lines 2 to 3)').waitFor();
    await shot('sent');
    const given = (await lastMessage())?.attachments ?? [];
    expect(given.map((one) => [one.kind, one.name, one.path ?? null])).toEqual([
      ['text', 'notes.csv', null],
      ['image', 'paste.txt', null],
      ['text', 'src/a.py', 'src/a.py'],
    ]);
    expect(await message().inputValue()).toBe('');
    expect(await attached().count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const report = await core.client.sessions.replay({ sessionId });
    expect(report.firstDifference).toBeNull();
  });

  it('makes a plan that is carried out as the person changed it', async () => {
    const { page } = served;
    await message().fill('/plan Make it better');
    await message().press('Enter');
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByRole('textbox', { name: 'Step 4' }).waitFor();
    await plan.getByRole('button', { name: 'Remove step 4' }).click();
    await plan.getByRole('button', { name: 'Move step 3 up' }).click();
    await plan.getByRole('textbox', { name: 'Step 1' }).fill('Read src/a.py and src/app.py');
    await plan.getByRole('button', { name: 'Add step' }).click();
    await plan.getByRole('textbox', { name: 'Step 4' }).fill('Say what was done');
    expect(await violations(page)).toEqual([]);
    await shot('plan');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot('plan-dark');
    expect(await violations(page)).toEqual([]);
    await served.resize(480, 800);
    await shot('plan-narrow');
    await plan.getByRole('button', { name: 'Start plan' }).click();
    await page.getByRole('log').getByText('All steps are done.').first().waitFor();
    const steps = ['Read src/a.py and src/app.py', 'Run the tests', 'Change a.py', 'Say what was done'];
    expect((await events()).find((event) => event.type === 'plan-edited')).toMatchObject({ steps });
    expect((await lastMessage())?.text).toBe(
      `Carry out this plan, step by step:\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`,
    );
    await shot('after-narrow');
    expect(served.complaints).toEqual([]);
  });

  it('summarizes on demand, and says part by part what the model no longer sees', async () => {
    const { page } = served;
    await served.resize(1360, 860);
    await message().fill('/compact');
    await message().press('Enter');
    await message().fill('Change y in src/b.py to 3.');
    await message().press('Enter');
    await page.getByRole('log').getByText('It is three now.').first().waitFor();
    await page.keyboard.press('Control+5');
    const trimmed = page.getByRole('tabpanel', { name: 'Context' }).locator('[data-trimmed=summary]');
    await trimmed.getByText(/^\d+ parts summarized$/u).waitFor();
    await trimmed.getByText('Show parts').click();
    const parts = await trimmed.getByRole('listitem').allInnerTexts();
    expect(parts.join('\n')).toMatch(/file\s*paste\.txt/u);
    expect(parts.join('\n')).toMatch(/answer\s*I will:/u);
    expect(await violations(page)).toEqual([]);
    await shot('trimmed');
    await trimmed.getByRole('button', { name: /^What is this\?/u }).click();
    await page.getByRole('article', { name: 'You' }).getByText('What is this?').waitFor();
    expect(served.complaints).toEqual([]);
  });

  it('sends no message while its model is being looked up', async () => {
    const { page } = served;
    let show = (): void => undefined;
    mayShow = new Promise((resolve) => (show = resolve));
    await core.client.settings.set({
      key: 'providers.other',
      value: { kind: 'scripted', replies: [{ text: 'Said by the chosen one.' }] },
    });
    await message().fill('/model other/script');
    await message().press('Enter');
    const send = page.getByRole('main').getByRole('button', { name: 'Send', exact: true });
    await expect.poll(() => send.isDisabled()).toBe(true);
    await message().fill('Who are you?');
    await message().press('Enter');
    show();
    await expect.poll(() => send.isDisabled()).toBe(false);
    expect(await message().inputValue()).toBe('Who are you?');
    await message().press('Enter');
    await page.getByRole('log').getByText('Said by the chosen one.').first().waitFor();
    expect((await lastMessage())?.text).toBe('Who are you?');
    const call = (await events()).findLast((event) => event.type === 'model-call-started');
    expect(call).toMatchObject({ model: 'other/script' });
    expect(served.complaints).toEqual([]);
  });
});
