import { Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import { texts } from './desktop-texts.ts';
import type { Windows } from './windows.ts';

/** The menu of the app. Keys of the page's own actions are only shown: the page listens for them itself. */
export function setMenu(windows: Windows): void {
  const action = (id: string, text: keyof typeof texts, accelerator?: string): MenuItemConstructorOptions => ({
    label: texts[text],
    click: () => windows.push({ type: 'action', id }),
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  });
  const isMac = process.platform === 'darwin';
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ role: 'appMenu' as const }] : []),
      {
        label: texts['menu.file'],
        submenu: [
          action('new', 'menu.new', 'CommandOrControl+N'),
          // The page opens it by its own keys, which a person can change.
          {
            label: texts['menu.newWindow'],
            accelerator: 'CommandOrControl+Shift+N',
            registerAccelerator: false,
            click: () => void windows.open(),
          },
          { type: 'separator' },
          action('import', 'menu.import'),
          { type: 'separator' },
          action('settings', 'menu.settings', 'CommandOrControl+,'),
          { type: 'separator' },
          { role: 'close' },
          ...(isMac ? [] : [{ role: 'quit' as const }]),
        ],
      },
      { role: 'editMenu' },
      {
        label: texts['menu.view'],
        submenu: [
          action('palette', 'menu.palette', 'CommandOrControl+K'),
          action('sidebar', 'menu.sidebar', 'CommandOrControl+B'),
          action('inspector', 'menu.inspector', 'CommandOrControl+J'),
          { type: 'separator' },
          { role: 'resetZoom' },
          { role: 'zoomIn' },
          { role: 'zoomOut' },
          { role: 'togglefullscreen' },
        ],
      },
      // Elsewhere it would offer a zoom that only a Mac has.
      isMac
        ? { role: 'windowMenu' }
        : { label: texts['menu.window'], submenu: [{ role: 'minimize' }, { role: 'close' }] },
      {
        role: 'help',
        label: texts['menu.help'],
        submenu: [
          action('first-steps', 'menu.firstSteps'),
          action('shortcuts', 'menu.shortcuts'),
          action('machine', 'menu.machine'),
          ...(isMac ? [] : [{ type: 'separator' as const }, { role: 'about' as const, label: texts['menu.about'] }]),
        ],
      },
    ]),
  );
}
