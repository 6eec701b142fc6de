import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { frame, startChatServer } from '../fakes/chat-server.ts';
import type { Launched, Place } from './launch.ts';
import { appFlags, builtFolder, launch, preparePlace, testEnvironment } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

let place: Place;
let launched: Launched;
/** The folder with the programs that the app finds. */
let bin: string;
let endDisplay: () => void;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  place = preparePlace([{ text: 'The port is 8123.\n\nIt stands in `main.py:1`.' }]);
  bin = join(place.home, '..', 'bin');
  mkdirSync(bin);
  const said = join(bin, 'said');
  writeFileSync(join(bin, 'zed'), `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@" > ${said}.new\nmv ${said}.new ${said}\n`, {
    mode: 0o755,
  });
  launched = await launch(place.home, { env: { PATH: `${bin}:${process.env.PATH ?? ''}` } });
});

afterAll(async () => {
  await launched?.app.close();
  place?.remove();
  endDisplay?.();
});

const shownView = (): Promise<string | null> => launched.page.evaluate(() => sessionStorage.getItem('dewpoint-view'));

it('the app asks for a folder in a dialog, and keeps none when none was chosen', async () => {
  const { app, page } = launched;
  const field = page.getByRole('combobox', { name: 'Project folder' });
  const choose = async (paths: readonly string[]): Promise<void> => {
    await app.evaluate(({ dialog }, filePaths) => {
      dialog.showOpenDialog = async () => ({ canceled: filePaths.length === 0, filePaths: [...filePaths] });
    }, paths);
    await page.getByRole('button', { name: 'Choose…' }).click();
  };
  await choose([place.project]);
  await expect.poll(() => field.inputValue()).toBe(place.project);
  await choose([]);
  expect(await field.inputValue()).toBe(place.project);
});

it('the running app shows the session of a link that comes to it', async () => {
  const { app, page } = launched;
  await page.getByRole('textbox', { name: 'Task' }).fill('Which port does main.py use?');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('The port is 8123.').first().waitFor();
  const [sessionId] = readdirSync(join(place.home, 'sessions'));
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('log').waitFor({ state: 'detached' });
  const link = `dewpoint://session/${sessionId}`;
  await app.evaluate(({ app: own }, url) => own.emit('second-instance', {}, ['dewpoint', url]), link);
  await page.getByRole('log').waitFor();
});

// Catches: a file that opens in another program than the user chose, or with a program from the workspace.
it('the app opens a file that an answer names in the chosen editor, at its line', async () => {
  const { page } = launched;
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('combobox', { name: 'Editor' }).selectOption({ label: 'Zed' });
  await expect.poll(() => readFileSync(join(place.home, 'settings.json'), 'utf8')).toContain('"editor": "zed"');
  await page.getByRole('button', { name: /^Which port does main.py use/u }).click();
  await page.getByRole('log').getByRole('button', { name: 'main.py:1', exact: true }).click();
  const said = (): readonly string[] =>
    existsSync(join(bin, 'said')) ? readFileSync(join(bin, 'said'), 'utf8').trimEnd().split('\n') : [];
  await expect.poll(said).toEqual([join(place.home, 'empty'), join(place.project, 'main.py:1')]);
  rmSync(join(place.project, 'main.py'));
  await page.getByRole('log').getByRole('button', { name: 'main.py:1', exact: true }).click();
  await page.getByText('There is no file main.py in the folder of this session.').waitFor();
});

it('the app writes a session into the file that a dialog names, and reads it back as another session', async () => {
  const { app, page } = launched;
  const file = join(place.project, 'kept.dewpoint');
  const save = async (filePath: string): Promise<void> => {
    await app.evaluate(({ dialog }, path) => {
      Reflect.set(globalThis, 'wasAsked', false);
      dialog.showSaveDialog = async () => {
        Reflect.set(globalThis, 'wasAsked', true);
        return { canceled: path === '', filePath: path };
      };
    }, filePath);
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: /Export/u }).click();
    // A later question must not get this answer.
    await expect.poll(() => app.evaluate(() => Reflect.get(globalThis, 'wasAsked'))).toBe(true);
  };
  await save('');
  await save(file);
  await expect.poll(() => existsSync(file)).toBe(true);
  expect(readdirSync(place.project).filter((name) => name.endsWith('.dewpoint'))).toEqual(['kept.dewpoint']);
  // Printed by a window that nobody sees, which is gone afterwards.
  const document = join(place.project, 'kept.pdf');
  const windows = (): Promise<number> => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
  const openBefore = await windows();
  await save(document);
  await expect.poll(() => existsSync(document)).toBe(true);
  await expect.poll(windows).toBe(openBefore);
  const printed = readFileSync(document);
  expect(printed.subarray(0, 5).toString()).toBe('%PDF-');
  expect(printed.subarray(-1024).toString('latin1')).toContain('%%EOF');
  // A page without its text would be far smaller.
  expect(printed.length).toBeGreaterThan(8_000);
  const before = readdirSync(join(place.home, 'sessions')).length;
  const original = await shownView();
  const choose = async (paths: readonly string[]): Promise<void> => {
    await app.evaluate(({ dialog, Menu }, filePaths) => {
      const asked = new Promise<void>((resolve) => {
        dialog.showOpenDialog = async () => {
          resolve();
          return { canceled: filePaths.length === 0, filePaths: [...filePaths] };
        };
      });
      const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
      items.find((item) => item.label.startsWith('Import session'))?.click();
      return asked;
    }, paths);
  };
  await choose([]);
  await choose([file]);
  const sessions = (): number => readdirSync(join(place.home, 'sessions')).length;
  await expect.poll(sessions).toBe(before + 1);
  // The imported session's folder exists before the window shows it, and the original shows the same text. So the test
  // waits for another view.
  await expect.poll(shownView).not.toBe(original);
  await page.getByText('The port is 8123.').first().waitFor();
});

it('the app starts on the session of a link that the system opens, with its draft', async () => {
  const message = () => launched.page.getByRole('textbox', { name: 'Message' });
  const view = await shownView();
  expect(view).toMatch(/^session:/u);
  await message().fill('And the other one?');
  await launched.page.getByRole('button', { name: 'Settings', exact: true }).click();
  await launched.app.close();
  launched = await launch(place.home, { args: [`dewpoint://${view?.replace(':', '/')}`] });
  await launched.page.getByText('The port is 8123.').first().waitFor();
  expect(await message().inputValue()).toBe('And the other one?');
});

it('the app reloads a crashed page without losing a token of the current answer', async () => {
  const chat = await startChatServer();
  const first = 'The first half of an answer';
  const rest = 'and what came while there was no page.';
  let tell = (_rest: string): void => undefined;
  chat.behave({ type: 'held', body: said(`${first} `), rest: new Promise((resolve) => (tell = resolve)) });
  const other = preparePlace([]);
  const slow = { kind: 'openai-compatible', baseUrl: chat.baseUrl, where: 'local' };
  other.script([], { local: 'slow/m', providers: { slow } });
  const child = spawn(launched.app.process().spawnfile, [resolve('tests/electron/crash.cjs'), ...appFlags()], {
    env: {
      ...testEnvironment(other.home),
      DEWPOINT_MAIN: join(builtFolder, 'main', 'index.cjs'),
      DEWPOINT_PROJECT: other.project,
      DEWPOINT_FIRST: first,
      DEWPOINT_REST: rest,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed === 'crashed\n') tell(said(rest));
  });
  try {
    await new Promise((done) => child.once('close', done));
    expect(printed).toMatch(/^crashed\n.*The first half of an answer and what came while there was no page\./su);
  } finally {
    child.kill('SIGKILL');
    await chat.close();
    other.remove();
  }
});

function said(content: string): string {
  const choices = [{ index: 0, delta: { content } }];
  return frame({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices });
}
