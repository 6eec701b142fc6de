import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserWindow, dialog, shell } from 'electron';
import type { WebContents } from 'electron';
import { AppError } from '@shared/errors.ts';
import { fileNameOf } from '@shared/text/file-name-of.ts';
import { z } from 'zod';
import { isLoopbackHost } from '../../lib/net/this-machine.ts';
import type { ForwardedCall, HostCommand } from '../../server/forward-router.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import type { EndpointSwitch } from './own-endpoint.ts';
import type { FileOpener } from './open-file.ts';
import { exportInto } from './export-sessions.ts';
import { screenParts } from './screen-parts.ts';
import { takeScreenshot } from './take-screenshot.ts';
import { texts } from './desktop-texts.ts';
import type { Windows } from './windows.ts';
import { sessionPrefix } from './windows.ts';

export interface HostCommandsOptions {
  readonly client: () => Promise<CoreClient>;
  readonly windows: Windows;
  /** The page that is served. Dialogs belong to its window. */
  readonly page: WebContents;
  readonly files: FileOpener;
  readonly endpoint: EndpointSwitch;
}

const sessionFile = { name: texts['dialog.sessionFile'], extensions: ['dewpoint'] };
const modelFile = { name: texts['dialog.modelFile'], extensions: ['gguf'] };
const readableFiles = [
  { name: texts['dialog.page'], extensions: ['html'] },
  { name: texts['dialog.markdown'], extensions: ['md'] },
  { name: texts['dialog.pdf'], extensions: ['pdf'] },
  { name: texts['dialog.calls'], extensions: ['jsonl'] },
];
const bySession = z.object({ sessionId: z.string() });
const bySessions = z.object({ sessionIds: z.array(z.string()) });
const forWindow = z.object({ sessionId: z.string().optional() });
const byFile = z.object({ sessionId: z.string(), path: z.string(), line: z.number().int().positive().optional() });
const signInTo = z.object({ kind: z.enum(['server', 'provider']), name: z.string() });
const bySwitch = z.object({ isOn: z.boolean() });
const byView = z.object({ view: z.string() });

/** What the window does itself: dialogs in which the user chooses a place, and events for the page. */
export function createHostCommands({
  client,
  windows,
  page,
  files,
  endpoint,
}: HostCommandsOptions): Readonly<Record<string, HostCommand>> {
  const { window, pushes, keepView } = windows.of(page);
  return {
    'host.info': async () => ({ isWindow: true, refused: [] }),
    'host.pushes': async (_input, signal) => pushes.stream(signal ?? new AbortController().signal),
    'host.openWindow': async (input) => {
      const { sessionId } = forWindow.parse(input);
      await windows.open(sessionId === undefined ? '' : sessionPrefix + sessionId);
    },
    'host.keepView': async (input) => keepView(byView.parse(input).view),
    'host.openFile': async (input) => files.open(byFile.parse(input)),
    'host.openSignIn': async (input) => openSignIn(await client(), signInTo.parse(input)),
    'host.endpoint': async () => endpoint.apply(),
    'host.switchEndpoint': async (input) => endpoint.set(bySwitch.parse(input).isOn),
    'host.editors': async () => files.editors(),
    'host.chooseFolder': async () => {
      const { filePaths } = await dialog.showOpenDialog(window, {
        properties: ['openDirectory', 'createDirectory'],
      });
      return { path: filePaths[0] ?? null };
    },
    'host.chooseModelFile': async () => {
      const { filePaths } = await dialog.showOpenDialog(window, { properties: ['openFile'], filters: [modelFile] });
      return { path: filePaths[0] ?? null };
    },
    'host.chooseProgram': async () => {
      const { filePaths } = await dialog.showOpenDialog(window, { properties: ['openFile'] });
      return { path: filePaths[0] ?? null };
    },
    'host.takeScreenshot': async (_input, signal) => {
      const picture = await takeScreenshot(screenParts(window), signal ?? new AbortController().signal);
      return { data: picture?.toString('base64') ?? null };
    },
    'host.exportSession': async (input, signal) => {
      const { sessionId } = bySession.parse(input);
      const core = await client();
      const { title } = await core.sessions.find({ id: sessionId });
      const { canceled, filePath } = await dialog.showSaveDialog(window, {
        defaultPath: `${fileNameOf(title)}.dewpoint`,
        filters: [sessionFile, ...readableFiles],
      });
      if (canceled) return { path: null, missing: 0, branches: 0 };
      const asked = signal === undefined ? {} : { signal };
      const { missing, branches } = filePath.toLowerCase().endsWith('.pdf')
        ? await exportPdf(core, { sessionId, path: filePath }, asked)
        : await core.sessions.export({ sessionId, path: filePath }, asked);
      return { path: filePath, missing, branches };
    },
    'host.exportSessions': async (input, signal) => {
      const { sessionIds } = bySessions.parse(input);
      const { filePaths } = await dialog.showOpenDialog(window, {
        properties: ['openDirectory', 'createDirectory'],
      });
      const [folder] = filePaths;
      if (folder === undefined) return { folder: null, done: [], refused: [], missing: 0 };
      return { folder, ...(await exportInto(await client(), folder, sessionIds, signal)) };
    },
    'host.importSession': async (_input, signal) => {
      const { filePaths } = await dialog.showOpenDialog(window, {
        properties: ['openFile'],
        filters: [sessionFile],
      });
      const [path] = filePaths;
      if (path === undefined) return { sessionId: null };
      return (await client()).sessions.import({ path }, signal === undefined ? {} : { signal });
    },
  };
}

/**
 * Writes a session as a PDF: its page, printed by a window that nobody sees. The page has no scripts and loads nothing;
 * its window has no bridge to Dewpoint.
 */
async function exportPdf(
  core: Pick<CoreClient, 'sessions'>,
  { sessionId, path }: { readonly sessionId: string; readonly path: string },
  asked: { readonly signal?: AbortSignal },
): Promise<{ readonly missing: number; readonly branches: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-pdf-'));
  const page = join(folder, 'session.html');
  const printer = new BrowserWindow({
    show: false,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, javascript: false },
  });
  const stop = (): void => printer.destroy();
  try {
    const exported = await core.sessions.export({ sessionId, path: page }, asked);
    asked.signal?.addEventListener('abort', stop, { once: true });
    asked.signal?.throwIfAborted();
    await printer.loadFile(page);
    const bytes = await printer.webContents.printToPDF({ printBackground: true, pageSize: 'A4' });
    await writeFile(path, bytes, { mode: 0o600 });
    return exported;
  } finally {
    asked.signal?.removeEventListener('abort', stop);
    if (!printer.isDestroyed()) printer.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The core provides the waiting address, so that no page can send the browser anywhere else. */
async function openSignIn({ tools, keys }: CoreClient, { kind, name }: z.infer<typeof signInTo>): Promise<void> {
  const { url } = await (kind === 'server' ? tools.signInAddress({ name }) : keys.signInAddress({ provider: name }));
  if (url === null) throw new AppError('not-found', `No sign-in to ${name} is waiting.`);
  // A service on this machine needs no encryption. No other kind of address is opened.
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(hostname)))
    throw new AppError('refused', 'Only an encrypted address (https) is opened in the browser.');
  await shell.openExternal(url);
}

const namesFiles: ReadonlySet<string> = new Set([
  'sessions.export',
  'sessions.import',
  'capsules.make',
  'capsules.check',
  'capsules.unpack',
  'comparisons.tasks',
]);

/** A page cannot name a file to read or write: those commands go through a dialog. */
export async function refusePaths({ name }: ForwardedCall): Promise<void> {
  if (namesFiles.has(name)) {
    throw new AppError('refused', 'A file is named in a dialog, not by the page.');
  }
}
