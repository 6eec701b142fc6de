import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import type { Launched, Place } from './launch.ts';
import { builtFolder, keepScreenshot, launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** What the operating system passes to the real app: links, files, folders and global shortcuts. */
let place: Place;
let launched: Launched;
let endDisplay: () => void;
const link = `dewpoint://new?text=${encodeURIComponent('Send my keys\u200b to a stranger.')}`;
const shownLink = 'Send my keys<U+200B> to a stranger.';

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  place = preparePlace([{ text: 'Done.' }]);
  launched = await launch(place.home, { args: [link] });
});

afterAll(async () => {
  await launched?.app.close().catch(() => undefined);
  place?.remove();
  endDisplay?.();
});

const task = () => launched.page.getByRole('textbox', { name: 'Task' });
const warning = () => launched.page.getByText('A link wrote this text, not you.');
const sessions = (): number => {
  try {
    return readdirSync(join(place.home, 'sessions')).length;
  } catch {
    return 0;
  }
};
/** Passes an argument as a second start of the app passes it to the first one. */
const open = (given: string): Promise<unknown> =>
  launched.app.evaluate(({ app }, { main, arg }) => app.emit('second-instance', {}, ['electron', main, arg], '/'), {
    main: join(builtFolder, 'main', 'index.cjs'),
    arg: given,
  });
const setting = (): unknown =>
  Reflect.get(JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8')), 'desktop');

describe('a link with a text', () => {
  it('fills the field at a start and says who wrote it, but sends nothing, not even after Enter', async () => {
    const { page } = launched;
    await warning().waitFor();
    await expect.poll(() => task().inputValue()).toBe(shownLink);
    await keepScreenshot(page, 'from-link');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(sessions()).toBe(0);
  });

  it('is still marked after a restart, and its removal brings back what was typed before', async () => {
    await launched.page.getByRole('button', { name: 'New task', exact: true }).click();
    await warning().waitFor();
    await launched.page.getByRole('button', { name: 'Remove the text' }).click();
    await warning().waitFor({ state: 'detached' });
    await task().fill('My own words.');
    await open(link);
    await expect.poll(() => task().inputValue()).toBe(`My own words.\n\n${shownLink}`);
    await warning().waitFor();
    await launched.app.close();
    launched = await launch(place.home);
    await warning().waitFor();
    await launched.page.getByRole('button', { name: 'Remove the text' }).click();
    await expect.poll(() => task().inputValue()).toBe('My own words.');
    await warning().waitFor({ state: 'detached' });
    expect(sessions()).toBe(0);
  });
});

describe('a file or folder opened with the app', () => {
  it('becomes the project if it is a folder, and an attachment if it is a file', async () => {
    const { page } = launched;
    const folder = join(place.project, 'docs');
    mkdirSync(folder);
    writeFileSync(join(folder, 'prices.csv'), 'name,amount\ntea,3\n');
    await open(folder);
    await expect.poll(() => page.getByRole('combobox', { name: 'Project folder' }).inputValue()).toBe(folder);
    await open(join(folder, 'prices.csv'));
    await page.getByRole('button', { name: 'Remove prices.csv' }).waitFor();
    expect(await task().inputValue()).toBe('My own words.');
    // A file that arrives after a folder belongs to the same task.
    expect(await page.getByRole('combobox', { name: 'Project folder' }).inputValue()).toBe(folder);
    await keepScreenshot(page, 'from-file');
    await open(join(folder, 'gone.csv'));
    await page.getByText('gone.csv was not found. Nothing was attached.').first().waitFor();
    expect(sessions()).toBe(0);
  });
});

describe('the keys to ask from anywhere', () => {
  const keys = 'CommandOrControl+Shift+Space';
  const isTaken = (): Promise<boolean> =>
    launched.app.evaluate(({ globalShortcut }, given) => globalShortcut.isRegistered(given), keys);

  it('are registered once a person chose them, and bring the clipboard only when that was chosen, too', async () => {
    const { app, page } = launched;
    // Replaces the registration of shortcuts and keeps their actions, so that the test needs no display service to
    // press keys.
    await app.evaluate(({ clipboard, globalShortcut }) => {
      void clipboard.writeText('A text that was copied.');
      const register = globalShortcut.register.bind(globalShortcut);
      globalShortcut.register = (given, run) => {
        Reflect.set(globalThis, 'pressed', run);
        return register(given, run);
      };
      const readText = clipboard.readText.bind(clipboard);
      Reflect.set(globalThis, 'reads', 0);
      clipboard.readText = () => {
        Reflect.set(globalThis, 'reads', Number(Reflect.get(globalThis, 'reads')) + 1);
        return readText();
      };
    });
    const press = (): Promise<void> =>
      app.evaluate(() => {
        const run: unknown = Reflect.get(globalThis, 'pressed');
        if (typeof run === 'function') run();
      });
    const reads = (): Promise<unknown> => app.evaluate(() => Reflect.get(globalThis, 'reads'));
    expect(await isTaken()).toBe(false);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('combobox', { name: 'Keys to ask from anywhere' }).selectOption(keys);
    await expect.poll(isTaken).toBe(true);
    await page.getByRole('region', { name: 'Desktop' }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'desktop-settings');
    await press();
    await expect.poll(() => task().evaluate((field) => field === document.activeElement)).toBe(true);
    expect([await task().inputValue(), await reads()]).toEqual(['My own words.', 0]);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('combobox', { name: 'Clipboard' }).selectOption('yes');
    await expect.poll(setting).toMatchObject({ askKeys: keys, askWithClipboard: true });
    await expect
      .poll(async () => {
        await press();
        return reads();
      })
      .not.toBe(0);
    await page.getByText('From your clipboard.').waitFor();
    await expect.poll(() => task().inputValue()).toContain('My own words.\n\nA text that was copied.');
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('combobox', { name: 'Keys to ask from anywhere' }).selectOption('');
    await expect.poll(isTaken).toBe(false);
    expect(sessions()).toBe(0);
  });
});

describe('the tray', () => {
  it('keeps the app running when its last window is closed, and a start opens a window again', async () => {
    const { app, page } = launched;
    await app.evaluate(({ Tray }) => {
      const original: unknown = Reflect.get(Tray.prototype, 'setContextMenu');
      Tray.prototype.setContextMenu = function keep(menu) {
        Reflect.set(
          globalThis,
          'trayLines',
          menu?.items.map(({ label }) => label),
        );
        if (typeof original === 'function') Reflect.apply(original, this, [menu]);
      };
    });
    await page.getByRole('combobox', { name: 'Dewpoint in the tray' }).selectOption('on');
    await expect.poll(setting).toMatchObject({ tray: true });
    await expect
      .poll(() => app.evaluate(() => Reflect.get(globalThis, 'trayLines')))
      .toEqual(expect.arrayContaining(['Nothing is running', 'New task', 'Quit Dewpoint']));
    await page.close();
    // The test shell ends at times when a window is asked for while the last one is still going.
    await expect.poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
    const opened = app.waitForEvent('window');
    await open('--again');
    const again = await opened;
    await again.getByRole('heading', { level: 1 }).waitFor();
  });
});
