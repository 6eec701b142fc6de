import { Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import type { HostPushes } from './host-pushes.ts';

/** The menu of the app. Keys of the page's own actions are only shown: the page listens for them itself. */
export function setMenu(pushes: HostPushes): void {
  const action = (id: string, label: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => pushes.push({ type: 'action', id }),
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
          action('import', 'Import a session…'),
          { type: 'separator' },
          action('settings', 'Settings', 'CommandOrControl+,'),
          { type: 'separator' },
          { role: isMac ? 'close' : 'quit' },
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
