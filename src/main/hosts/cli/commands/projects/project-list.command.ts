import { resolve } from 'node:path';
import type { ListedProject } from '@shared/projects/project-list.ts';
import type { ProjectChoices } from '@shared/projects/project-record.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { projectKey } from '../../../../lib/files/project-key.ts';
import type { CoreClient } from '../../../../server/local-socket.ts';
import type { Command } from '../../../text/command-context.ts';
import { requireFolder, whatIsAt } from '../../checks/require-folder.ts';
import { projectsOf } from './named-project.ts';
import { asWord } from '../../program/run-flags.ts';
import { usageError } from '../../../text/report-failure.ts';
import { dateAndTime, jsonLine } from '../../../text/terminal.ts';

export type ProjectListAction = 'list' | 'add' | 'remove';

/** Lists projects, adds one or removes one. Changes no folder and no session. */
export const projectList: Command<[ProjectListAction, string | undefined, { readonly json?: boolean }]> = async (
  context,
  action,
  folder,
  args,
) => {
  const core = await context.core();
  const { listed, choices } = await projectsOf(core);
  switch (action) {
    case 'list':
      await show(listed, context, args.json === true);
      return 0;
    case 'add': {
      const path = await folderOf(folder ?? '.');
      const { [path]: _, ...removed } = choices.removed;
      await keep(core, { added: [...choices.added.filter((one) => one !== path), path], removed });
      context.terminal.out(`${path}\n`);
      return 0;
    }
    case 'remove': {
      const word = folder ?? '.';
      const named = listed.find(({ id, path: key }) => id === word || key === word);
      if (named?.folder === null)
        throw usageError(
          `${seenName(named.name)} has no folder, so it stays on the list until you delete it.`,
          `Delete it: dewpoint projects delete ${seenName(asWord(word))}`,
        );
      const path = named?.path ?? (await projectKey(resolve(word)));
      if (!listed.some((project) => project.path === path)) {
        throw usageError(
          `${path} is not on the list of projects.`,
          'Run `dewpoint projects list` to see your projects.',
        );
      }
      const added = choices.added.filter((one) => one !== path);
      await keep(core, { added, removed: { ...choices.removed, [path]: Date.now() } });
      context.terminal.err(`${seenName(path)} is removed from the list. The folder and its sessions are kept.\n`);
      return 0;
    }
    default:
      return action satisfies never;
  }
};

/** Each by itself: what is said about projects may change meanwhile. */
async function keep(core: CoreClient, choices: Pick<ProjectChoices, 'added' | 'removed'>): Promise<void> {
  await core.settings.set({ key: 'projects.added', value: choices.added });
  await core.settings.set({ key: 'projects.removed', value: choices.removed });
}

const ends = {
  folder: '',
  file: '  (the folder is gone)',
  nothing: '  (the folder is gone)',
  silent: '  (its drive does not answer)',
} as const;

async function folderOf(given: string): Promise<string> {
  const path = resolve(given);
  await requireFolder(path);
  return projectKey(path);
}

async function show(
  listed: readonly ListedProject[],
  { terminal }: Parameters<typeof projectList>[0],
  isJson: boolean,
): Promise<void> {
  const rows = await Promise.all(
    listed.map(async (project) => ({
      ...project,
      at: project.folder === null ? 'folder' : await whatIsAt(project.folder),
    })),
  );
  if (isJson) {
    terminal.out(
      jsonLine(rows.map(({ at, ...row }) => ({ ...row, isThere: at === 'folder', isSilent: at === 'silent' }))),
    );
    return;
  }
  if (rows.length === 0)
    terminal.err('No projects yet. Make one: dewpoint projects new NAME, or add a folder: dewpoint projects add DIR\n');
  for (const { path, id, name, folder, icon, sessions, lastAt, at } of rows) {
    const date = lastAt === null ? '-'.padEnd(16) : dateAndTime(lastAt);
    const count = `${String(sessions).padStart(3)} ${sessions === 1 ? 'session ' : 'sessions'}`;
    const sign = icon === null ? '' : `${seenName(icon.text)} `;
    const named = id === null ? '' : `${sign}${seenName(name)}  `;
    const place = folder === null ? `(no folder, ${id ?? path})` : seenName(folder);
    terminal.out(`${date}  ${count}  ${named}${place}${ends[at]}\n`);
  }
}
