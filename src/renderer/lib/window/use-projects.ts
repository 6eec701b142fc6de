import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ListedProject } from '@shared/projects/project-list.ts';
import type { ProjectChoices } from '@shared/projects/project-record.ts';
import { listProjects, namesApart } from '@shared/projects/project-list.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import type { SessionProject } from '@shared/projects/project-keys.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../connection/core-context.ts';
import { useRoots } from '../connection/use-host-info.ts';
import { folderName } from '../text/format.ts';
import { t } from '../text/translate.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

const noChoices: ProjectChoices = { added: [], removed: {}, records: {} };

/** Projects with sessions and those that the user made or added, latest first. Only those where new work may begin. */
export function useProjects(sessions: readonly SessionSummary[]): readonly ListedProject[] {
  const client = useClient();
  const roots = useRoots();
  const choices = useQuery({
    queryKey: ['settings', 'projects'],
    queryFn: ({ signal }) => client.settings.get({ key: 'projects' }, { signal }),
  });
  const isOpen = ({ folder }: ListedProject): boolean =>
    folder === null || roots.length === 0 || roots.some((root) => folder === root || folder.startsWith(`${root}/`));
  return listProjects(sessions, isChoices(choices.data) ? choices.data : noChoices).filter(isOpen);
}

/** How the user calls the project of a session. Null: nothing was said about it, or the session is in none. */
export function useProjectName({ projectPath, project = null }: SessionProject): string | null {
  const { data } = useRecords();
  const head = data?.find(({ id, key }) => (projectPath === null ? id === project : key === projectPath));
  return head?.name ?? null;
}

/** What is kept for the project of a session is kept by this: its folder, or its key. Null: it is in none. */
export function useProjectKey({ projectPath, project = null }: SessionProject): string | null {
  const { data } = useRecords();
  return projectPath ?? data?.find(({ id }) => id === project)?.key ?? null;
}

/** What each project is called in lists, by its key: as the user named it, else as its folder. */
export type ProjectNames = (key: string) => string;

/** `among`: the keys that are shown beside each other. Two of one name are told apart there. */
export function useProjectNames(among: readonly string[] = nobody): ProjectNames {
  const { data } = useRecords();
  // Lists are made anew at each drawing. Their keys rarely change.
  const keys = among.join('\n');
  return useMemo(() => {
    const names = new Map(data?.map(({ key, name }) => [key, name]));
    const nameOf = (key: string): string => {
      const name = names.get(key) ?? null;
      if (name !== null) return name;
      return hasNoFolder(key) ? t('project.unnamed') : folderName(key);
    };
    const apart = namesApart(keys.split('\n').map((path) => ({ path, name: nameOf(path) })));
    return (key) => seenName(apart.get(key) ?? nameOf(key));
  }, [data, keys]);
}

const nobody: readonly string[] = [];

function useRecords() {
  const client = useClient();
  return useQuery({
    queryKey: ['settings', 'projects', 'records'],
    queryFn: ({ signal }) => client.projects.records(undefined, { signal }),
  });
}

/** Settings have an unknown type here; the core has checked them. */
function isChoices(value: unknown): value is ProjectChoices {
  return typeof value === 'object' && value !== null && 'added' in value && 'removed' in value && 'records' in value;
}
