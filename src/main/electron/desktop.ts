import { BrowserWindow, app, dialog, session } from 'electron';
import { toFailure } from '@shared/errors.ts';
import { createForwardRouter } from '../api/forward-router.ts';
import { createChannelServer } from '../api/serve-channel.ts';
import { readPageFiles } from '../web/page-files.ts';
import type { CoreConnection, CoreLink } from './core-link.ts';
import { createCoreLink } from './core-link.ts';
import { acceptPorts } from './port.ts';
import { pageUrl, registerPageScheme, servePage } from './protocol.ts';
import { openWindow } from './window.ts';

export interface DesktopOptions {
  /** Opens the core here, or finds the process that has it. Called again when that one goes. */
  readonly connect: () => Promise<CoreConnection>;
  /** Where Chromium keeps its things; one window for each. */
  readonly stateFolder: string;
  readonly pageFolder: string;
  readonly preloadFile: string;
  /** A development server's page instead of the built one; null in a built app. */
  readonly developmentUrl: string | null;
  /** Errors are printed and end the process, where a dialog would wait for a person. */
  readonly isTest: boolean;
}

/** The desktop host: one window on the core. Call it before Electron is ready. */
export function startDesktop(options: DesktopOptions): void {
  app.setPath('userData', options.stateFolder);
  if (options.isTest) process.on('uncaughtException', (error) => fail(error, options));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  registerPageScheme();
  const link = createCoreLink(options.connect);
  quitCleanly(link);
  app.on('second-instance', showWindow);
  run(link, options).catch((error: unknown) => fail(error, options));
}

async function run(link: CoreLink, options: DesktopOptions): Promise<void> {
  await app.whenReady();
  servePage(session.defaultSession, await readPageFiles(options.pageFolder));
  // Opened before the window, so that a core that cannot start is an error message and not an empty page.
  await link.client();
  const url = new URL(options.developmentUrl ?? pageUrl).href;
  acceptPorts(createChannelServer(createForwardRouter({ client: link.client })), url);
  const open = (): Promise<BrowserWindow> => openWindow({ url, preloadFile: options.preloadFile });
  await open();
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) void open();
  });
}

function showWindow(): void {
  const [window] = BrowserWindow.getAllWindows();
  if (window?.isMinimized() === true) window.restore();
  window?.focus();
}

function quitCleanly(link: CoreLink): void {
  let isClosing = false;
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('will-quit', (event) => {
    // Asked a second time it ends at once, whatever is still being closed.
    if (isClosing) return;
    isClosing = true;
    event.preventDefault();
    // A core that never opened has nothing to close.
    void link
      .close()
      .catch(() => undefined)
      .then(() => app.exit(0));
  });
}

function fail(error: unknown, { isTest }: DesktopOptions): void {
  const { message, hint } = toFailure(error);
  const text = hint === undefined ? message : `${message}\n${hint}`;
  process.stderr.write(`dewpoint: ${text}\n${isTest && error instanceof Error ? `${error.stack}\n` : ''}`);
  if (!isTest) dialog.showErrorBox('Dewpoint cannot start', text);
  app.exit(1);
}
