import { BrowserWindow, dialog } from 'electron';
import { AppError } from '@shared/errors.ts';
import { z } from 'zod';
import type { ForwardedCall, OwnCommand } from '../api/forward-router.ts';
import type { CoreClient } from '../api/socket.ts';
import type { HostPushes } from './host-pushes.ts';

export interface HostCommandsOptions {
  readonly client: () => Promise<CoreClient>;
  readonly pushes: HostPushes;
}

const sessionFile = { name: 'Dewpoint session', extensions: ['dewpoint'] };
const bySession = z.object({ sessionId: z.string() });

/** What the window does itself: the dialogs in which a person names a place, and what is to be shown next. */
export function createHostCommands({ client, pushes }: HostCommandsOptions): Readonly<Record<string, OwnCommand>> {
  return {
    'host.info': async () => ({ isWindow: true, refused: [] }),
    'host.pushes': async (_input, signal) => pushes.stream(signal ?? new AbortController().signal),
    'host.chooseFolder': async () => {
      const { filePaths } = await dialog.showOpenDialog(windowOf(), {
        properties: ['openDirectory', 'createDirectory'],
      });
      return { path: filePaths[0] ?? null };
    },
    'host.exportSession': async (input, signal) => {
      const { sessionId } = bySession.parse(input);
      const core = await client();
      const { title } = await core.sessions.find({ id: sessionId });
      const { canceled, filePath } = await dialog.showSaveDialog(windowOf(), {
        defaultPath: `${fileNameOf(title)}.dewpoint`,
        filters: [sessionFile],
      });
      // An older Electron answers an empty name where nothing was chosen.
      if (canceled || filePath === undefined || filePath === '') return { path: null, missing: 0 };
      const { missing } = await core.sessions.export(
        { sessionId, path: filePath },
        signal === undefined ? {} : { signal },
      );
      return { path: filePath, missing };
    },
    'host.importSession': async (_input, signal) => {
      const { filePaths } = await dialog.showOpenDialog(windowOf(), {
        properties: ['openFile'],
        filters: [sessionFile],
      });
      const [path] = filePaths;
      if (path === undefined) return { sessionId: null };
      return (await client()).sessions.import({ path }, signal === undefined ? {} : { signal });
    },
  };
}

function windowOf(): BrowserWindow {
  const [window] = BrowserWindow.getAllWindows();
  if (window === undefined) throw new AppError('refused', 'There is no window.');
  return window;
}

/** A title as the name of a file that every system takes. */
function fileNameOf(title: string): string {
  const name = title
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .trim()
    .slice(0, 60)
    .trim();
  return name === '' ? 'session' : name;
}

/** A page names no file to be written or read: those commands are reached through a dialog. */
export async function refusePaths({ name }: ForwardedCall): Promise<void> {
  if (name === 'sessions.export' || name === 'sessions.import') {
    throw new AppError('refused', 'A file is named in a dialog, not by the page.');
  }
}
