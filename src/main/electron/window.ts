import { BrowserWindow } from 'electron';
import type { Session, WebContents } from 'electron';

export interface WindowOptions {
  readonly url: string;
  readonly preloadFile: string;
}

/** The window: a sandboxed page that can go nowhere, open nothing and ask for nothing. Resolves when the page is there. */
export async function openWindow({ url, preloadFile }: WindowOptions): Promise<BrowserWindow> {
  const window = new BrowserWindow({
    width: 1280,
    height: 820,
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
  holdInPlace(window.webContents, url);
  denyPermissions(window.webContents.session);
  window.once('ready-to-show', () => window.show());
  await window.loadURL(url);
  return window;
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
