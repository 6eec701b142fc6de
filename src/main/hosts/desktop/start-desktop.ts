import { join } from 'node:path';
import { BrowserWindow, Menu, app, dialog, session, Notification, protocol } from 'electron';
import { toFailure } from '@shared/errors.ts';
import { escapeForTerminal, seenWords } from '@shared/text/seen-text.ts';
import { createForwardRouter } from '../../server/forward-router.ts';
import { createChannelServer } from '../../server/serve-channel.ts';
import { createHostPrograms } from '../../lib/programs/host-programs.ts';
import { findPageFiles, pageHeaders } from '../page-files.ts';
import { lockedFrames } from '../locked-frames.ts';
import type { ConnectedCore, RenewedConnection } from '../connection/core-connection.ts';
import { createRenewedConnection } from '../connection/core-connection.ts';
import { createHostCommands, refusePaths } from './commands.ts';
import { linkScheme, requestInArguments } from './app-requests.ts';
import { menuTemplate } from './app-menu.ts';
import { pushOfPath } from './given-path.ts';
import type { SystemParts } from './system-parts.ts';
import { startSystemParts } from './system-parts.ts';
import type { FileOpener } from './open-file.ts';
import { usualPort } from '../api/api-server.ts';
import { createEndpointSwitch } from './own-endpoint.ts';
import { createFileOpener } from './open-file.ts';
import { acceptPorts } from './page-port.ts';
import { texts } from './desktop-texts.ts';
import type { Windows } from './windows.ts';
import { createWindows } from './windows.ts';
import type { SessionNews } from '@shared/session/session-news.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { createNewsFinder } from './session-news-finder.ts';
import type { Session } from 'electron';
import type { PageFiles } from '../page-files.ts';
import { orNoted } from '../../lib/log.ts';

/** The address of the page. It has its own scheme, because `file:` would let a page read the disk. */
export const pageUrl = 'app://dewpoint/';

/** Must be called before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the page's own files with its policy. Everything else is not found. */
export function servePage(session: Session, files: PageFiles): void {
  const headers = pageHeaders("'self'");
  session.protocol.handle('app', async (request) => {
    const url = new URL(request.url);
    const isOwn = url.host === 'dewpoint' && request.method === 'GET';
    const locked = isOwn ? lockedFrames.get(url.pathname) : undefined;
    if (locked !== undefined) {
      return new Response(new Uint8Array(locked.body), {
        headers: { ...locked.headers, 'content-type': locked.contentType },
      });
    }
    const file = isOwn ? files.get(url.pathname) : undefined;
    const body = await file?.read();
    if (file === undefined || !body) return new Response('not found', { status: 404, headers });
    return new Response(new Uint8Array(body), { headers: { ...headers, 'content-type': file.contentType } });
  });
}

const everyMs = 4_000;

/** Notifies a user who is looking elsewhere that a long task has ended or waits. A click shows the session. */
export function notifyOfSessions(client: () => Promise<CoreClient>, windows: Windows, parts: SystemParts): void {
  const look = createNewsFinder();
  const tell = async (): Promise<void> => {
    const core = await client();
    const all = await look({
      sessions: async () => {
        const sessions = await core.sessions.list();
        parts.setSessions(sessions);
        return sessions;
      },
      notify: () => core.settings.get({ key: 'notify' }),
    });
    const inFront = windows.sessionInFront();
    if (!Notification.isSupported()) return;
    for (const news of all) if (news.sessionId !== inFront) show(news, windows);
  };
  // A core that is being renewed is asked again soon.
  setInterval(() => void tell().catch(() => undefined), everyMs).unref();
}

function show({ sessionId, title, what }: SessionNews, windows: Windows): void {
  const notification = new Notification({
    title: title === '' ? 'Dewpoint' : seenWords(title),
    body: texts[`news.${what}`],
  });
  notification.on('click', () => {
    windows.show();
    windows.push({ type: 'session', sessionId, isAsking: what === 'waits' });
  });
  notification.show();
}

export interface DesktopOptions {
  /** Opens the core here, or connects to the process that owns it. Called again when that process ends. */
  readonly connect: () => Promise<ConnectedCore>;
  /** The home of Dewpoint. */
  readonly home: string;
  /** The folder for Chromium's data. There is one instance of the app per folder. */
  readonly stateFolder: string;
  readonly pageFolder: string;
  readonly preloadFile: string;
  /** The main file. In a checkout it is among the arguments. */
  readonly mainFile: string;
  /** The page of a development server, used instead of the built one. Null in a built app. */
  readonly developmentUrl: string | null;
  /** Errors are printed and end the process, because in a test nobody closes a dialog. */
  readonly isTest: boolean;
}

/** The desktop host: windows that use the core. Call it before Electron is ready. */
export function startDesktop(options: DesktopOptions): void {
  app.setPath('userData', options.stateFolder);
  // The reader of stderr may be gone. Reporting that error there would cause the next one, forever.
  process.stderr.on('error', () => undefined);
  if (options.isTest) process.on('uncaughtException', (error) => fail(error, options));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  registerPageScheme();
  const link = createRenewedConnection(options.connect);
  quitCleanly(link);
  const url = new URL(options.developmentUrl ?? pageUrl).href;
  const stateFile = join(options.stateFolder, 'windows.json');
  const windows = createWindows({ url, preloadFile: options.preloadFile, stateFile });
  takeRequests(windows, options);
  run({ link, windows, url }, options).catch((error: unknown) => fail(error, options));
}

interface Desktop {
  readonly link: RenewedConnection;
  readonly windows: Windows;
  /** The address of the page. */
  readonly url: string;
}

async function run({ link, windows, url }: Desktop, options: DesktopOptions): Promise<void> {
  await app.whenReady();
  Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(process.platform, windows)]));
  servePage(session.defaultSession, await findPageFiles(options.pageFolder));
  // Opened before the window, so that a core that cannot start causes an error message and not an empty page.
  await link.client();
  const files = openerFor(link.client, options);
  const endpoint = createEndpointSwitch(link.client, usualPort);
  void endpoint.apply();
  acceptPorts((page) => {
    const own = createHostCommands({ client: link.client, windows, page, files, endpoint });
    return createChannelServer(createForwardRouter({ client: link.client, guard: refusePaths, own }));
  }, url);
  await windows.restore();
  const parts = startSystemParts(link.client, windows);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && !parts.staysWithoutWindows()) app.quit();
  });
  notifyOfSessions(link.client, windows, parts);
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) void windows.open();
  });
}

/** Opens files in editors of this machine, never with a program from a project folder. */
function openerFor(client: () => Promise<CoreClient>, { home }: DesktopOptions): FileOpener {
  const { env, platform } = process;
  const listed = async (): Promise<readonly string[]> =>
    (await (await client()).sessions.list()).flatMap(({ projectPath }) => projectPath ?? []);
  // Many programs are searched for at once, and share one list.
  let asked: Promise<readonly string[]> | null = null;
  const projects = (): Promise<readonly string[]> =>
    (asked ??= listed().finally(() => {
      asked = null;
    }));
  const programs = createHostPrograms({ home, env, projects });
  return createFileOpener({ client, programs, machine: { env, platform } });
}

/** Handles requests of the system, at the start or later: links, and files opened with the app. */
function takeRequests(windows: Windows, { isTest, mainFile }: DesktopOptions): void {
  const take = (args: readonly string[], folder: string, isInstalled: boolean = app.isPackaged): void => {
    const request = requestInArguments({ args, folder, mainFile, isInstalled });
    if (request?.type === 'session') windows.push(request);
    if (request?.type === 'text') windows.push({ ...request, type: 'new', from: 'link' });
    if (request?.type === 'path') void pushOfPath(request.path).then(windows.push);
  };
  // Only an installed app becomes the system's handler for its links.
  if (!isTest && process.defaultApp !== true) app.setAsDefaultProtocolClient(linkScheme);
  take(process.argv, process.cwd());
  app.on('second-instance', (_event, args, folder: string | undefined) => {
    windows.show();
    take(args, folder ?? process.cwd());
  });
  const takeOne = (event: { readonly preventDefault: () => void }, given: string): void => {
    event.preventDefault();
    windows.show();
    take(['', given], process.cwd(), true);
  };
  // macOS sends both as events.
  app.on('open-url', takeOne);
  app.on('open-file', takeOne);
}

function quitCleanly(link: RenewedConnection): void {
  let isClosing = false;
  app.on('will-quit', (event) => {
    // A second attempt quits at once, whatever is still closing.
    if (isClosing) return;
    isClosing = true;
    event.preventDefault();
    // A core that never opened needs no closing.
    void link
      .close()
      .catch(orNoted('desktop: the core was not closed', undefined))
      .then(() => app.exit(0));
  });
  // Electron itself quits at a signal. A launcher that was killed sends none.
  process.on('disconnect', () => app.quit());
}

function fail(error: unknown, { isTest }: DesktopOptions): void {
  const { message, hint } = toFailure(error);
  const text = hint === undefined ? message : `${message}\n${hint}`;
  const stack = isTest && error instanceof Error ? `${error.stack}\n` : '';
  process.stderr.write(escapeForTerminal(`dewpoint: ${text}\n${stack}`));
  if (!isTest) dialog.showErrorBox(texts['dialog.cannotStart'], text);
  app.exit(1);
}
