import type { MenuItemConstructorOptions } from 'electron';
import { texts } from './desktop-texts.ts';
import type { Windows } from './windows.ts';

type Item = MenuItemConstructorOptions;

/**
 * The menu of the app, as usual on its platform: on a Mac there is an extra menu with the app's name, for settings and
 * quitting. Shortcuts of page actions are only shown here: the page itself handles them.
 */
export function menuTemplate(platform: NodeJS.Platform, windows: Pick<Windows, 'push' | 'open'>): readonly Item[] {
  const action = (id: string, text: keyof typeof texts, accelerator?: string): Item => ({
    label: texts[text],
    click: () => windows.push({ type: 'action', id }),
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  });
  const isMac = platform === 'darwin';
  const settings = action('settings', 'menu.settings', 'CommandOrControl+,');
  const separator: Item = { type: 'separator' };
  // The page handles this shortcut itself, because users can change it.
  const newWindow: Item = {
    label: texts['menu.newWindow'],
    accelerator: 'CommandOrControl+Shift+N',
    registerAccelerator: false,
    click: () => void windows.open(),
  };
  return [
    ...(isMac ? [macAppMenu(settings)] : []),
    {
      label: texts['menu.file'],
      submenu: [
        action('new', 'menu.new', 'CommandOrControl+N'),
        newWindow,
        separator,
        action('import', 'menu.import'),
        separator,
        ...(isMac ? [] : [settings, separator]),
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
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    // On other platforms this role would include a zoom that only Macs have.
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
        ...(isMac ? [] : [separator, { role: 'about' as const, label: texts['menu.about'] }]),
      ],
    },
  ];
}

function macAppMenu(settings: Item): Item {
  const roles = ['about', 'services', 'hide', 'hideOthers', 'unhide', 'quit'] as const;
  const [about, services, hide, hideOthers, unhide, quit] = roles.map((role): Item => ({ role }));
  const groups = [[about], [settings], [services], [hide, hideOthers, unhide], [quit]];
  return {
    label: texts['tray.title'],
    submenu: groups.flatMap((group, index): Item[] => [
      ...(index === 0 ? [] : [{ type: 'separator' as const }]),
      ...group.filter((item) => item !== undefined),
    ]),
  };
}
