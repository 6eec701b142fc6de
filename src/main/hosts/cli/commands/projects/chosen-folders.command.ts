import { basename, resolve } from 'node:path';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { asWord } from '../../program/run-flags.ts';
import type { Command } from '../../../text/command-context.ts';
import { keyOfWord } from './named-project.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine } from '../../../text/terminal.ts';

export type FoldersAction = 'list' | 'add' | 'remove';

export interface FoldersArguments {
  readonly project?: string;
  readonly json?: boolean;
}

/** The folders outside a project whose documents are searched with it: lists them, adds one or removes one. */
export const chosenFolders: Command<[FoldersAction, string | undefined, FoldersArguments]> = async (
  { core: open, terminal },
  action,
  folder,
  args,
) => {
  const { projects } = await open();
  const projectPath = await keyOfWord(open, (action === 'list' ? folder : args.project) ?? '.');
  const { folders, isThere } = await projects.settings({ projectPath });
  if (action === 'list') {
    if (!isThere && !hasNoFolder(projectPath) && folders.length === 0)
      throw usageError(`The folder ${projectPath} was not found.`);
    if (args.json === true) terminal.out(jsonLine(folders));
    else if (folders.length === 0) terminal.err('No folders. Add one: dewpoint projects folders add FOLDER\n');
    else terminal.out(folders.map((path) => `${seenName(path)}\n`).join(''));
    return 0;
  }
  const path = resolve(folder ?? '.');
  if (action === 'add') {
    const { folders: all } = await projects.configure({ projectPath, change: { type: 'folder', path } });
    const added = all.at(-1) ?? path;
    terminal.out(`${seenName(added)}\n`);
    terminal.err(
      `Its documents are searched with the project, for reading only. Answers and your rules name them ${seenName(basename(added))}/…\n`,
    );
    return 0;
  }
  // A folder that is gone has no other name any more.
  if (!folders.includes(path))
    throw usageError(
      `${path} is no chosen folder of ${projectPath}. Nothing was changed.`,
      `Run \`dewpoint projects folders list ${seenName(asWord(projectPath))}\` to see them.`,
    );
  await projects.configure({ projectPath, change: { type: 'no-folder', path } });
  terminal.err(`${seenName(path)} is no longer searched, and its parts are removed from the index.\n`);
  return 0;
};
