import { AppError } from '@shared/errors.ts';
import type { NewEvent } from '@shared/events/events.ts';
import type { FenceSources } from '@shared/safety/fences.ts';
import { isWithin } from '@shared/safety/fences.ts';
import type { ProjectHead } from '@shared/projects/project-page.ts';
import { hasNoFolder, projectOfSession, recordOfKey, type SessionProject } from '@shared/projects/project-keys.ts';
import type { ProjectRecords } from '@shared/projects/project-record.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import type { Journal } from '../journal/journal.ts';
import type { UserFiles } from './session-options.ts';

/** The key of the project that a session belongs to now; null: to none. */
export function projectOf({ settings }: { readonly settings: () => Settings }, state: SessionProject): string | null {
  return projectOfSession(settings().projects.records, state);
}

/** The folder of a project, for what is read of its files; null: it has none. */
export function folderOfKey(key: string | null): string | null {
  return key === null || hasNoFolder(key) ? null : key;
}

/** What the user says to models in this project. Absent: nothing. Rejects if it cannot be read: it is never left out. */
export async function projectWords(
  {
    settings,
    userFiles,
  }: { readonly settings: () => Settings; readonly userFiles: Pick<UserFiles, 'projectInstructions'> },
  state: SessionProject,
): Promise<Pick<TurnOptions, 'project'>> {
  const key = projectOf({ settings }, state);
  const found = key === null ? null : recordOfKey(settings().projects.records, key);
  if (found === null) return {};
  const { text, problem } = await userFiles.projectInstructions(found.id);
  if (problem !== null)
    throw new AppError('bad-input', `The instructions of this project cannot be used. ${problem} Nothing was sent.`, {
      hint: 'Open the project and save its instructions again.',
    });
  return text === '' ? {} : { project: { text } };
}

/** What new talks of a project begin with, as if the person had chosen it. */
export function defaultsOf(records: ProjectRecords, key: string | null): ChosenOptions {
  const found = key === null ? null : recordOfKey(records, key);
  if (found === null) return {};
  const { assistant, mode } = found.record;
  return { ...(assistant === null ? {} : { assistant }), ...(mode === null ? {} : { mode }) };
}

/**
 * The fences of a talk that is in a project without working in its folder. Rules for the project hold for all that the
 * talk says.
 */
export function fencesInProject(sources: FenceSources, key: string | null): FenceSources {
  const rules = sources.rules.map(({ project, ...rule }) =>
    project !== undefined && isWithin(key, project) ? rule : { ...rule, ...(project === undefined ? {} : { project }) },
  );
  return { ...sources, rules };
}

/** Writes the move into the log. Null: out of all projects. Rejects with `bad-input` for a session with a folder. */
export async function moveSession(
  { settings }: { readonly settings: () => Settings },
  journal: Pick<Journal, 'state'> & { readonly append: (event: NewEvent) => Promise<unknown> },
  to: (Pick<ProjectHead, 'id' | 'key'> & { readonly name: string }) | null,
): Promise<boolean> {
  const state = journal.state();
  const refused = notMovable(state);
  if (refused !== null) throw new AppError('bad-input', refused);
  if ((state.project ?? null) === (to?.id ?? null)) return false;
  const chosen = defaultsOf(settings().projects.records, to?.key ?? null);
  await journal.append({
    type: 'session-moved',
    project: to?.id ?? null,
    name: to?.name ?? '',
    ...(Object.keys(chosen).length === 0 ? {} : { chosen }),
  });
  return true;
}

/** Why a session stays where it is; null: it can be moved. */
export function notMovable({ projectPath, tree }: SessionProject & { readonly tree?: unknown }): string | null {
  if (tree !== undefined && tree !== null)
    return 'Another agent works in it, so it stays with the session that started it.';
  if (projectPath === null) return null;
  return `It works in the folder ${projectPath}, so it belongs to that project. Only sessions without a folder can be moved.`;
}
