import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { createHostPrograms } from '../../../lib/programs/host-programs.ts';
import { findDataFolders } from '../../../lib/files/data-folders.ts';
import { shellQuote } from '../../../lib/programs/shell-quote.ts';

/**
 * Opens a text in the editor of `VISUAL` or `EDITOR`, in a temporary file outside of every workspace. Rejects if there
 * is no editor or it ends with an error; nothing is changed then.
 */
export async function editText(text: string, name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const editor = [env.VISUAL, env.EDITOR].find((one) => one !== undefined && one.trim() !== '');
  if (editor === undefined) {
    throw new AppError('usage', 'No editor is set.', {
      hint: 'Set EDITOR, for example: export EDITOR=nano',
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-edit-'));
  try {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    await run(editor, path, env);
    return await readFile(path, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `EDITOR` is a command with arguments, as for git, so a shell splits it. */
function run(editor: string, path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const isWindows = process.platform === 'win32';
  const shell = isWindows ? win32.join(env.SystemRoot ?? String.raw`C:\Windows`, 'System32', 'cmd.exe') : '/bin/sh';
  const args = isWindows ? ['/d', '/s', '/c', `"${editor} "${path}""`] : ['-c', `${editor} ${shellQuote(path)}`];
  const programs = createHostPrograms({ home: findDataFolders(env, process.platform).home, env });
  return new Promise((resolve, reject) => {
    const child = programs.start(shell, args, {
      needs: ['terminal', 'desktop'],
      stdio: 'inherit',
      isSeen: true,
      isQuoted: isWindows,
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0
        ? resolve()
        : reject(new AppError('usage', `The editor ended with ${code ?? 'a signal'}. Nothing was changed.`)),
    );
  });
}
