import { useQuery } from '@tanstack/react-query';
import type { SessionSummary } from '@shared/contract.ts';
import type { ProjectChoices } from '@shared/project-list.ts';
import { listProjects } from '@shared/project-list.ts';
import { useClient } from './core-context.ts';

const noChoices: ProjectChoices = { added: [], removed: {} };

/** The folders that sessions work on and those that were added by hand, the latest first. */
export function useProjects(sessions: readonly SessionSummary[]): readonly string[] {
  const client = useClient();
  const choices = useQuery({
    queryKey: ['settings', 'projects'],
    queryFn: ({ signal }) => client.settings.get({ key: 'projects' }, { signal }),
  });
  return listProjects(sessions, isChoices(choices.data) ? choices.data : noChoices).map(({ path }) => path);
}

/** Settings come as anything; the core has checked them. */
function isChoices(value: unknown): value is ProjectChoices {
  return typeof value === 'object' && value !== null && 'added' in value && 'removed' in value;
}
