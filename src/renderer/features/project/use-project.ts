import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ProjectChange, ProjectSettings } from '@shared/projects/project-settings.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';

/** A project's own settings, and the way to change them. */
export interface ProjectHandle {
  readonly projectPath: string;
  readonly settings: ProjectSettings;
  /** Settings are read-only from here. */
  readonly isRefused: boolean;
  /** False after a failure; the failure is announced, and nothing was changed. */
  readonly change: (change: ProjectChange) => Promise<boolean>;
}

export function useProject(projectPath: string) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('projects.configure');
  const queryKey = ['settings', 'project', projectPath];
  const load = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.projects.settings({ projectPath }, { signal }),
    staleTime: 0,
    // Its folder may be moved or deleted meanwhile.
    refetchOnWindowFocus: 'always',
  });
  const save = async (wanted: ProjectChange): Promise<void> => {
    queries.setQueryData(queryKey, await client.projects.configure({ projectPath, change: wanted }));
    await queries.invalidateQueries({ queryKey: ['models', 'chosen'] });
  };
  const change = async (wanted: ProjectChange): Promise<boolean> => {
    try {
      await save(wanted);
      const lost = load.data === undefined ? null : lostBy(wanted, load.data);
      if (lost !== null) offerUndo(lost.text, () => save(lost.back));
      return true;
    } catch (error) {
      announce({ kind: 'error', text: `${t('settings.notSaved')} ${failureText(error)}` });
      return false;
    }
  };
  const handle: ProjectHandle | null =
    load.data === undefined ? null : { projectPath, settings: load.data, isRefused, change };
  return { handle, error: load.error, readAgain: load.refetch };
}

interface Lost {
  readonly text: string;
  /** The change that restores it. */
  readonly back: ProjectChange;
}

/** What a change would delete that the user typed; null: nothing. */
function lostBy(change: ProjectChange, { variables, secrets, image, testCommand }: ProjectSettings): Lost | null {
  switch (change.type) {
    case 'test-command':
      return testCommand === null
        ? null
        : { text: t('project.testCommand.replaced'), back: { type: 'test-command', command: testCommand } };
    case 'variable':
    case 'secret':
    case 'no-variable': {
      const { name } = change;
      const text = t(change.type === 'no-variable' ? 'project.variables.removed' : 'project.variables.replaced', {
        name,
      });
      const value = variables[name];
      if (value !== undefined) return { text, back: { type: 'variable', name, value } };
      return secrets.some((secret) => secret.name === name) ? { text, back: { type: 'secret', name } } : null;
    }
    case 'image':
      return image === null
        ? null
        : { text: t('project.image.left', { name: seenName(image.name) }), back: { type: 'image', ...image } };
    case 'no-folder':
      return { text: t('project.folders.removed'), back: { type: 'folder', path: change.path } };
    case 'folder':
    case 'choose':
    case 'forget':
      // A choice from a list, which can be chosen again.
      return null;
    default:
      return change satisfies never;
  }
}
