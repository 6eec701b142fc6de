import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ProjectChange, ProjectSettings } from '@shared/project-settings.ts';
import { announce } from '../../lib/announce.ts';
import { useClient } from '../../lib/core-context.ts';
import { failureText } from '../../lib/failure-text.ts';
import { t } from '../../lib/texts.ts';
import { useRefused } from '../../lib/use-host.ts';

/** What one project has of its own, with the way to change it. */
export interface ProjectHandle {
  readonly projectPath: string;
  readonly settings: ProjectSettings;
  /** It can only be looked at from here. */
  readonly isRefused: boolean;
  /** A failure is announced, and nothing was changed then; false. */
  readonly change: (change: ProjectChange) => Promise<boolean>;
}

export function useProject(projectPath: string) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useRefused('projects.configure');
  const queryKey = ['settings', 'project', projectPath];
  const load = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.projects.settings({ projectPath }, { signal }),
  });
  const change = async (wanted: ProjectChange): Promise<boolean> => {
    try {
      queries.setQueryData(queryKey, await client.projects.configure({ projectPath, change: wanted }));
      await queries.invalidateQueries({ queryKey: ['models', 'chosen'] });
      return true;
    } catch (error) {
      announce({ kind: 'error', text: `${t('settings.notSaved')} ${failureText(error)}` });
      return false;
    }
  };
  const handle: ProjectHandle | null =
    load.data === undefined ? null : { projectPath, settings: load.data, isRefused, change };
  return { handle, error: load.error };
}
