import { Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import type { Windows } from './windows.ts';

/** The menu of the app. Keys of the page's own actions are only shown: the page listens for them itself. */
export function setMenu(windows: Windows): void {
  const action = (id: string, label: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => windows.push({ type: 'action', id }),
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  });
  const isMac = process.platform === 'darwin';
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ role: 'appMenu' as const }] : []),
      {
        label: 'File',
        submenu: [
          action('new', 'New task', 'CommandOrControl+N'),
          // The page opens it by its own keys, which a person can change.
          {
            label: 'New window',
            accelerator: 'CommandOrControl+Shift+N',
            registerAccelerator: false,
            click: () => void windows.open(),
          },
          { type: 'separator' },
          action('import', 'Import a session…'),
          { type: 'separator' },
          action('settings', 'Settings', 'CommandOrControl+,'),
          { type: 'separator' },
          { role: 'close' },
          ...(isMac ? [] : [{ role: 'quit' as const }]),
        ],
      },
      { role: 'editMenu' },
      {
        label: 'View',
        submenu: [
          action('palette', 'All commands', 'CommandOrControl+K'),
          action('sidebar', 'Sessions', 'CommandOrControl+B'),
          action('inspector', 'Inspector', 'CommandOrControl+J'),
          { type: 'separator' },
          { role: 'resetZoom' },
          { role: 'zoomIn' },
          { role: 'zoomOut' },
          { role: 'togglefullscreen' },
        ],
      },
      { role: 'windowMenu' },
    ]),
  );
}
