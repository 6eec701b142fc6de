import { BrowserWindow, screen } from 'electron';
import type { Session, WebContents } from 'electron';
import type { WindowState } from './window-state.ts';
import { keepWindowState, placeOn, readWindowState } from './window-state.ts';

export interface WindowOptions {
  readonly url: string;
  readonly preloadFile: string;
  /** Where the window's place is kept. */
  readonly stateFile: string;
}

/** The window: a sandboxed page that can go nowhere, open nothing and ask for nothing. Resolves when the page is there. */
export async function openWindow({ url, preloadFile, stateFile }: WindowOptions): Promise<BrowserWindow> {
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const place = placeOn(readWindowState(stateFile), areas);
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
  window.on('close', () =>
    keepWindowState(stateFile, { ...window.getNormalBounds(), isMaximized: window.isMaximized() }),
  );
  holdInPlace(window.webContents, url);
  reviveCrashed(window.webContents);
  denyPermissions(window.webContents.session);
  window.once('ready-to-show', () => window.show());
  await window.loadURL(url);
  return window;
}

function boundsOf({ x, y, width, height }: WindowState): Electron.Rectangle {
  return { x, y, width, height };
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
    if (target !== url) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}
