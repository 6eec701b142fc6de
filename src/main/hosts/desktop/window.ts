import { BrowserWindow, nativeImage, screen } from 'electron';
import type { Session, WebContents } from 'electron';
import windowIcon from '../../../../resources/icons/128x128.png?inline';
import { diagnostics } from '../../lib/log.ts';
import type { WindowPlace } from './window-state.ts';
import { placeWithinScreens } from './window-state.ts';

export interface WindowOptions {
  readonly url: string;
  readonly preloadFile: string;
  readonly place: WindowPlace | null;
  /** The first view, in the words of its page. */
  readonly view: string;
}

/** A sandboxed page that cannot navigate, open windows or ask for permissions. It is not loaded yet. */
export function createWindow({ url, preloadFile, place: kept }: WindowOptions): BrowserWindow {
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const place = placeWithinScreens(kept, areas);
  const window = new BrowserWindow({
    ...(place === null ? { width: 1280, height: 820 } : boundsOf(place)),
    minWidth: 360,
    minHeight: 480,
    show: false,
    title: 'Dewpoint',
    // macOS and Windows take it from the program itself.
    ...(process.platform === 'linux' ? { icon: nativeImage.createFromDataURL(windowIcon) } : {}),
    autoHideMenuBar: true,
    webPreferences: {
      preload: preloadFile,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  if (place?.isMaximized === true) window.maximize();
  holdInPlace(window.webContents, url);
  reviveCrashed(window.webContents);
  keepDrafts(window.webContents);
  denyPermissions(window.webContents.session);
  // Keeps scripts of a preview from using WebRTC to bypass the policy of its frame.
  window.webContents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  window.once('ready-to-show', () => window.show());
  return window;
}

/** The address of the page. Its fragment holds the first view. */
export function pageAddress({ url, view }: Pick<WindowOptions, 'url' | 'view'>): string {
  return view === '' ? url : `${url}#${encodeURIComponent(view)}`;
}

/** Whether an address is that of the page, with any fragment. */
export function isPage(address: string, url: string): boolean {
  const parsed = new URL(address);
  parsed.hash = '';
  return parsed.href === url;
}

export function windowPlaceOf(window: BrowserWindow): WindowPlace {
  return { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
}

function boundsOf({ x, y, width, height }: WindowPlace): Electron.Rectangle {
  return { x, y, width, height };
}

/** Usually the first flush is enough. A busy page writes the typed text later. */
const draftAfterMs = [300, 2_000, 10_000];

/** Flushes typed text to the disk soon. Chromium takes seconds by itself, and a crash would lose the text. */
function keepDrafts(contents: WebContents): void {
  let timers: readonly NodeJS.Timeout[] = [];
  const flush = (): void => {
    if (!contents.isDestroyed()) contents.session.flushStorageData();
  };
  contents.on('before-input-event', () => {
    for (const timer of timers) clearTimeout(timer);
    timers = draftAfterMs.map((afterMs) => setTimeout(flush, afterMs));
  });
}

/** More crashes in a minute are not accidental, and the page is no longer reloaded. */
const mostRevivals = 3;
const reviveAfterMs = 200;

/** Reloads a page that crashed. A running turn continues in the core. */
function reviveCrashed(contents: WebContents): void {
  let crashes: number[] = [];
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason !== 'clean-exit') diagnostics.error(`desktop: the page ended (${reason}, code ${exitCode})`);
    const now = performance.now();
    crashes = [...crashes.filter((at) => now - at < 60_000), now];
    if (reason === 'clean-exit' || crashes.length > mostRevivals) return;
    // During the event the crashed frame is still in place, and would be reloaded instead.
    setTimeout(() => {
      if (!contents.isDestroyed()) contents.reload();
    }, reviveAfterMs);
  });
}

function holdInPlace(contents: WebContents, url: string): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  // Reloading the same page is the only navigation.
  contents.on('will-navigate', (event, target) => {
    if (!isPage(target, url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}
