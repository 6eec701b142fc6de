import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserWindow } from 'electron';
import type { CoreClient } from '../../server/local-socket.ts';

/**
 * Writes a session as a PDF: its page, printed by a window that nobody sees. The page has no scripts and loads nothing;
 * its window has no bridge to Dewpoint.
 */
export async function exportPdf(
  core: Pick<CoreClient, 'sessions'>,
  { sessionId, path }: { readonly sessionId: string; readonly path: string },
  asked: { readonly signal?: AbortSignal },
): Promise<{ readonly missing: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-pdf-'));
  const page = join(folder, 'session.html');
  const printer = new BrowserWindow({
    show: false,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, javascript: false },
  });
  const stop = (): void => printer.destroy();
  try {
    const { missing } = await core.sessions.export({ sessionId, path: page }, asked);
    asked.signal?.addEventListener('abort', stop, { once: true });
    asked.signal?.throwIfAborted();
    await printer.loadFile(page);
    const bytes = await printer.webContents.printToPDF({ printBackground: true, pageSize: 'A4' });
    await writeFile(path, bytes, { mode: 0o600 });
    return { missing };
  } finally {
    asked.signal?.removeEventListener('abort', stop);
    if (!printer.isDestroyed()) printer.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}
