import { lstat, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { editorChoices, editorIds, isPlainText, knownEditors } from '@shared/settings/known-editors.ts';
import type { EditorId } from '@shared/settings/known-editors.ts';
import { nameProblem, openFolderBelow } from '../../lib/files/host-folder.ts';
import { isWithin } from '../../lib/files/is-within.ts';
import { askDrive } from '../../lib/files/served-drives.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { editorArguments, findEditor, findSystemOpener } from './editor-programs.ts';
import { opensProject } from './project-files.ts';
import type { Machine } from './editor-programs.ts';

export interface FileOpenerOptions {
  readonly client: () => Promise<Pick<CoreClient, 'sessions' | 'settings'>>;
  readonly programs: Pick<HostPrograms, 'find' | 'isOutside' | 'start'>;
  readonly machine: Machine;
}

export interface FileToOpen {
  readonly sessionId: string;
  /** A path relative to a folder of the session, or an absolute path in one. */
  readonly path: string;
  readonly line?: number | undefined;
}

/** Opens files of a session in the user's editor. */
export interface FileOpener {
  /** The editors that are installed. */
  readonly editors: () => Promise<readonly EditorId[]>;
  /** Returns what the file was opened in. Rejects if the file is not the session's, or there is no editor. */
  readonly open: (file: FileToOpen) => Promise<{ readonly editor: string }>;
}

export function createFileOpener({ client, programs, machine }: FileOpenerOptions): FileOpener {
  const find = (id: EditorId): Promise<string | null> => findEditor(id, programs, machine);
  const first = async (
    wanted: readonly EditorId[],
  ): Promise<{ readonly id: EditorId; readonly program: string } | null> => {
    for (const id of wanted) {
      const program = await find(id);
      if (program !== null) return { id, program };
    }
    return null;
  };
  return {
    editors: async () => {
      const found = await Promise.all(editorIds.map(async (id) => ((await find(id)) === null ? [] : [id])));
      return found.flat();
    },
    open: async ({ sessionId, path, line }) => {
      const core = await client();
      const { state } = await core.sessions.show({ sessionId });
      const file = await findFile([state.workspace?.path ?? null, state.projectPath], path);
      const set: unknown = await core.settings.get({ key: 'editor' });
      const choice = editorChoices.find((one) => one === set) ?? 'auto';
      if (choice === 'system') {
        if (opensProject('system', file.way)) throw projectFile(file.way);
        const opener = await findSystemOpener(programs, machine);
        await start(programs, opener, [...opener.words, textToOpen(file)]);
        return { editor: '' };
      }
      const editor = await first(choice === 'auto' ? editorIds : [choice]);
      if (editor === null) throw noEditor(choice);
      if (opensProject(editor.id, file.way)) throw projectFile(file.way);
      await start(programs, editor, editorArguments(editor.id, file.path, line ?? null));
      return { editor: knownEditors[editor.id] };
    },
  };
}

/** An editor takes such a file for a whole project and may run what it says, without a question of its own. */
function projectFile(path: string): AppError {
  const name = basename(path);
  return new AppError('refused', `An editor may open ${name} as a project, and run what it says.`, {
    hint: 'It was not opened. Look at it here, or open it from inside your editor.',
  });
}

function noEditor(choice: EditorId | 'auto'): AppError {
  const what =
    choice === 'auto' ? 'No known editor was found on this machine.' : `${knownEditors[choice]} was not found.`;
  return new AppError('not-found', what, { hint: 'Choose another editor, or the system default, in the settings.' });
}

interface FoundFile {
  readonly path: string;
  /** Relative to the folder of the session. */
  readonly way: string;
  readonly isExecutable: boolean;
}

/** Finds the file in the first folder that has it. Follows no link, and finds nothing outside of the folders. */
async function findFile(folders: readonly (string | null)[], path: string): Promise<FoundFile> {
  for (const folder of folders) {
    if (folder === null) continue;
    const found = await askDrive(folder, () => fileBelow(folder, path));
    if (found !== null) return found;
  }
  throw new AppError('not-found', `There is no file ${path} in the folder of this session.`);
}

async function fileBelow(folder: string, path: string): Promise<FoundFile | null> {
  const way = isAbsolute(path) ? (isWithin(path, folder) ? relative(folder, path) : null) : path;
  const names = way?.split(sep === '\\' ? /[\\/]/u : '/').filter((name) => name !== '.') ?? [];
  const name = names.at(-1);
  if (name === undefined || names.some((one) => nameProblem(one) !== null)) return null;
  const parent = await openFolderBelow(folder, names.slice(0, -1));
  if (parent === null) return null;
  try {
    const found = await lstat(parent.at(name));
    if (!found.isFile()) return null;
    return {
      path: join(await realpath(folder), ...names),
      way: names.join('/'),
      isExecutable: (found.mode & 0o111) !== 0,
    };
  } catch {
    // A file that cannot be checked is not opened.
    return null;
  } finally {
    await parent.close();
  }
}

/** The system may run what it opens, so only text files of known kinds that are not executable are allowed. */
function textToOpen({ path, isExecutable }: FoundFile): string {
  if (isPlainText(path) && (!isExecutable || process.platform === 'win32')) return path;
  throw new AppError('refused', 'This machine might run this file, so it is not opened by the system default.', {
    hint: 'Choose an editor in the settings.',
  });
}

/** Resolves when the program runs. It continues without Dewpoint. */
function start(
  programs: Pick<HostPrograms, 'start'>,
  { program }: { readonly program: string },
  args: readonly string[],
): Promise<void> {
  const child = programs.start(program, args, { needs: ['desktop'], stdio: 'ignore', detached: true, isSeen: true });
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new AppError('not-found', `The editor could not be started: ${error.message}`)),
    );
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
