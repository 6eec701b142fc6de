import { BrowserWindow, screen } from 'electron';
import type { Session, WebContents } from 'electron';
import type { WindowPlace } from './window-state.ts';
import { placeWithinScreens } from './window-state.ts';

export interface WindowOptions {
  readonly url: string;
  readonly preloadFile: string;
  readonly place: WindowPlace | null;
  /** What it shows first, in the words of its page. */
  readonly view: string;
}

/** A window: a sandboxed page that can go nowhere, open nothing and ask for nothing. Its page is not loaded yet. */
export function createWindow({ url, preloadFile, place: kept }: WindowOptions): BrowserWindow {
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const place = placeWithinScreens(kept, areas);
  const window = new BrowserWindow({
    ...(place === null ? { width: 1280, height: 820 } : boundsOf(place)),
    minWidth: 360,
    minHeight: 480,
    show: false,
    title: 'Dewpoint',
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
  // What a preview runs finds no way out past the policy of its frame.
  window.webContents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  window.once('ready-to-show', () => window.show());
  return window;
}

/** The page of a window. It takes what it shows first out of its fragment. */
export function pageAddress({ url, view }: Pick<WindowOptions, 'url' | 'view'>): string {
  return view === '' ? url : `${url}#${encodeURIComponent(view)}`;
}

/** Whether an address is the page's own, whatever its fragment says. */
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

/** The first is soon enough for most; a page that is busy writes what was typed only later. */
const draftAfterMs = [300, 2_000, 10_000];

/** What was typed is on the disk soon after: by itself Chromium takes seconds, which a crash would lose. */
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

/** More crashes than this in a minute are no accident: the page is then left as it is. */
const mostRevivals = 3;
const reviveAfterMs = 200;

/** A page that crashed is loaded again: what was being said is in the core, and goes on. */
function reviveCrashed(contents: WebContents): void {
  let crashes: number[] = [];
  contents.on('render-process-gone', (_event, { reason }) => {
    const now = Date.now();
    crashes = [...crashes.filter((at) => now - at < 60_000), now];
    if (reason === 'clean-exit' || crashes.length > mostRevivals) return;
    // Within the event the frame that has gone is still in place, and would be what is loaded.
    setTimeout(() => {
      if (!contents.isDestroyed()) contents.reload();
    }, reviveAfterMs);
  });
}

function holdInPlace(contents: WebContents, url: string): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  // Loading the same page again is all a page may do.
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
