import { desktopCapturer, Menu, screen, systemPreferences } from 'electron';
import type { BrowserWindow, DesktopCapturerSource, MenuItemConstructorOptions, Size } from 'electron';
import { seenWords } from '@shared/text/seen-text.ts';
import { orNoted } from '../../lib/log.ts';
import type { ScreenParts, ScreenSource } from './take-screenshot.ts';

/** More windows than this make the list useless. */
const mostWindows = 30;
const mostLetters = 60;
/** No picture is larger: the limits of attachments refuse it anyway. */
const mostPixels = 8000;
/** On some systems a list says that it closed before it says what was chosen. */
const chosenWithinMs = 300;

/** Screens and windows of this machine, chosen in a menu of the system over the window that asks. */
export function screenParts(window: BrowserWindow, env: NodeJS.ProcessEnv = process.env): ScreenParts {
  // Chromium decides by the same two variables.
  const asksItself =
    process.platform === 'linux' &&
    env.XDG_SESSION_TYPE?.startsWith('wayland') === true &&
    env.WAYLAND_DISPLAY !== undefined;
  return {
    asksItself,
    isRefused: () =>
      process.platform === 'darwin' &&
      ['denied', 'restricted'].includes(systemPreferences.getMediaAccessStatus('screen')),
    sources: async () => (await listed(['screen', 'window'], { width: 0, height: 0 })).map(sourceOf),
    choose: (sources, signal) => choose(window, sources, signal),
    capture: async (source) => {
      const found = await listed(source === null ? ['screen', 'window'] : [source.kind], largestScreen());
      const chosen = source === null ? found[0] : found.find(({ id }) => id === source.id);
      return chosen === undefined || chosen.thumbnail.isEmpty() ? null : chosen.thumbnail.toPNG();
    },
  };
}

async function listed(types: ('screen' | 'window')[], thumbnailSize: Size): Promise<readonly DesktopCapturerSource[]> {
  return desktopCapturer
    .getSources({ types, thumbnailSize, fetchWindowIcons: false })
    .catch(orNoted('The system listed no screen or window', []));
}

function sourceOf({ id, name }: DesktopCapturerSource): ScreenSource {
  return { id, name, kind: id.startsWith('screen:') ? 'screen' : 'window' };
}

/** In pixels, so that no screen is made smaller. */
function largestScreen(): Size {
  const sizes = screen.getAllDisplays().map(({ size, scaleFactor }) => ({
    width: Math.min(mostPixels, Math.round(size.width * scaleFactor)),
    height: Math.min(mostPixels, Math.round(size.height * scaleFactor)),
  }));
  return {
    width: Math.max(...sizes.map(({ width }) => width)),
    height: Math.max(...sizes.map(({ height }) => height)),
  };
}

async function choose(
  window: BrowserWindow,
  sources: readonly ScreenSource[],
  signal: AbortSignal,
): Promise<ScreenSource | null> {
  return new Promise((resolve) => {
    const itemOf = (source: ScreenSource): MenuItemConstructorOptions => ({
      label: labelOf(source.name),
      click: () => resolve(source),
    });
    const screens = sources.filter(({ kind }) => kind === 'screen');
    const windows = sources.filter(({ kind }) => kind === 'window').slice(0, mostWindows);
    const between: MenuItemConstructorOptions[] =
      screens.length > 0 && windows.length > 0 ? [{ type: 'separator' }] : [];
    const menu = Menu.buildFromTemplate([...screens.map(itemOf), ...between, ...windows.map(itemOf)]);
    signal.addEventListener(
      'abort',
      () => {
        if (!window.isDestroyed()) menu.closePopup(window);
        resolve(null);
      },
      { once: true },
    );
    menu.popup({ window, callback: () => void setTimeout(() => resolve(null), chosenWithinMs) });
  });
}

/** In a menu, `&` marks a key. */
function labelOf(name: string): string {
  const seen = seenWords(name);
  const short = seen.length > mostLetters ? `${seen.slice(0, mostLetters - 1)}…` : seen;
  return short.replaceAll('&', '&&');
}
