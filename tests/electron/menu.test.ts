import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Launched, Place } from './launch.ts';
import { launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** Chooses each entry of the app menu and checks its effect. */
let place: Place;
let launched: Launched;
let endDisplay: () => void;
const pressed = new Set<string>();

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  place = preparePlace([{ text: 'The port is 8123.' }]);
  launched = await launch(place.home);
  // Records which functions of the desktop are requested, because there is no desktop here.
  await launched.app.evaluate(({ app, dialog, BrowserWindow }) => {
    const asked: string[] = [];
    Reflect.set(globalThis, 'asked', asked);
    dialog.showOpenDialog = async () => {
      asked.push('open a file');
      return { canceled: true, filePaths: [] };
    };
    app.showAboutPanel = () => void asked.push('about');
    for (const name of ['minimize', 'setFullScreen', 'close'] as const)
      BrowserWindow.prototype[name] = () => void asked.push(name);
  });
});

afterAll(async () => {
  await launched?.app.close().catch(() => undefined);
  place?.remove();
  endDisplay?.();
});

/** Presses a menu entry as a user does, with the first window in front. */
async function press(menu: string, label: string): Promise<void> {
  pressed.add(`${menu} › ${label}`);
  const isFound = await launched.app.evaluate(
    ({ BrowserWindow, Menu }, [menuLabel, itemLabel]) => {
      const window = BrowserWindow.getAllWindows().at(-1);
      const items = Menu.getApplicationMenu()?.items.find((one) => one.label === menuLabel)?.submenu?.items;
      const item = items?.find((one) => one.label === itemLabel);
      item?.click({}, window, window?.webContents);
      return item !== undefined;
    },
    [menu, label] as const,
  );
  expect([label, isFound]).toEqual([label, true]);
}

const asked = (): Promise<unknown> => launched.app.evaluate(() => Reflect.get(globalThis, 'asked'));
const heading = (name: string) => launched.page.getByRole('heading', { level: 1, name });
const zoom = (): Promise<number | undefined> =>
  launched.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().at(-1)?.webContents.getZoomLevel());

it('the menu goes to the views that it names', async () => {
  const { page } = launched;
  await press('File', 'Settings');
  await heading('Settings').waitFor();
  await press('Help', 'Get started');
  await page.getByRole('region', { name: 'Get started' }).waitFor();
  await press('Help', 'Shortcuts');
  await page.locator('section:focus[aria-label="Shortcuts"]').waitFor();
  await press('Help', 'Setup');
  await page.locator('section:focus[aria-label="Setup"]').waitFor();
  await press('File', 'New task');
  await heading('What would you like to do?').waitFor();
  await press('View', 'All commands');
  await page.getByPlaceholder('Search actions').waitFor();
  await page.keyboard.press('Escape');
});

it('the menu shows and hides what lies beside the view', async () => {
  const { page } = launched;
  const sessions = page.getByRole('searchbox', { name: 'Search sessions' });
  await sessions.waitFor();
  await press('View', 'Sessions');
  await sessions.waitFor({ state: 'detached' });
  await press('View', 'Sessions');
  await sessions.waitFor();
  await page.getByRole('textbox', { name: 'Task' }).fill('Which port does main.py use?');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('The port is 8123.').first().waitFor();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const wasThere = await inspector.isVisible();
  await press('View', 'Inspector');
  await inspector.waitFor({ state: wasThere ? 'detached' : 'visible' });
  await press('View', 'Inspector');
  await inspector.waitFor({ state: wasThere ? 'visible' : 'detached' });
});

it('the menu edits the text that has the focus', async () => {
  const field = launched.page.getByRole('textbox', { name: 'Message' });
  await field.click();
  await launched.page.keyboard.type('twice');
  await press('Edit', 'Select All');
  await press('Edit', 'Copy');
  await press('Edit', 'Delete');
  await expect.poll(() => field.inputValue()).toBe('');
  await press('Edit', 'Undo');
  await expect.poll(() => field.inputValue()).toBe('twice');
  await press('Edit', 'Redo');
  await expect.poll(() => field.inputValue()).toBe('');
  await press('Edit', 'Paste');
  await expect.poll(() => field.inputValue()).toBe('twice');
  await press('Edit', 'Select All');
  await press('Edit', 'Cut');
  await expect.poll(() => field.inputValue()).toBe('');
});

it('the menu asks the system for what is the system’s', async () => {
  await press('File', 'Import session…');
  await expect.poll(asked).toEqual(['open a file']);
  await press('Help', 'About Dewpoint');
  await press('Window', 'Minimize');
  await press('View', 'Toggle Full Screen');
  await press('File', 'Close');
  await press('Window', 'Close');
  expect(await asked()).toEqual(['open a file', 'about', 'minimize', 'setFullScreen', 'close', 'close']);
});

it('the menu makes the window larger and smaller', async () => {
  const before = await zoom();
  await press('View', 'Zoom In');
  await expect.poll(zoom).toBeGreaterThan(before ?? 0);
  await press('View', 'Zoom Out');
  await press('View', 'Zoom Out');
  await expect.poll(zoom).toBeLessThan(before ?? 0);
  await press('View', 'Actual Size');
  await expect.poll(zoom).toBe(before);
});

it('the menu opens another window, and ends the app', async () => {
  const { app } = launched;
  await press('File', 'New window');
  await expect.poll(() => app.windows().length).toBe(2);
  const all = await app.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()?.items.flatMap((menu) =>
      (menu.submenu?.items ?? [])
        .filter((item) => item.type !== 'separator' && item.visible)
        .map((item) => `${menu.label} › ${item.label}`),
    ),
  );
  const quit = app.waitForEvent('close');
  expect(all?.filter((entry) => !pressed.has(entry))).toEqual(['File › Quit']);
  await press('File', 'Quit').catch(() => undefined);
  await quit;
});
