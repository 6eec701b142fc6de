import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { WorkspaceMode } from '@shared/events/session-events.ts';
import type { LiveJournal } from '../../../../src/main/sessions/journal/live-journal.ts';
import type { Home } from '../session-fixtures.ts';

interface ChangedFolder {
  readonly journal: LiveJournal;
  readonly workspace: string;
  readonly project: string;
  /** Changes a file as an agent does: on the disk and in the log. Null deletes. */
  readonly change: (path: string, text: string | Buffer | null, mode?: number) => Promise<void>;
}

/** A session whose agent changes the files of a folder. */
export async function changedFolder(
  home: Home,
  mode: WorkspaceMode,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<ChangedFolder> {
  const workspace = join(home.path, 'workspace');
  const project = mode === 'copy' ? join(home.path, 'project') : workspace;
  for (const folder of new Set([workspace, project])) {
    await mkdir(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text, { mode: 0o644 });
    }
  }
  const journal = await home.store.create({ title: 'x', projectPath: project, workspace: { mode, path: workspace } });
  const imageAt = async (path: string): Promise<FileImage> => {
    try {
      const info = await stat(path);
      return { kept: true, blob: await journal.putBlob(await readFile(path)), mode: info.mode & 0o777 };
    } catch {
      return null;
    }
  };
  const change = async (path: string, text: string | Buffer | null, fileMode = 0o644): Promise<void> => {
    const full = join(workspace, path);
    const before = await imageAt(full);
    if (text === null) await rm(full);
    else {
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, text);
      await chmod(full, fileMode);
    }
    await journal.append({
      type: 'file-changed',
      path,
      before,
      after: await imageAt(full),
      by: 'model',
      toolCallId: 'tool-1',
      added: 1,
      removed: 1,
      undoes: [],
    });
  };
  return { journal, workspace, project, change };
}

export const text = (folder: string, path: string): Promise<string> => readFile(join(folder, path), 'utf8');
