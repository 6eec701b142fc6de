import { useQuery } from '@tanstack/react-query';
import type { ListedProject } from '@shared/projects/project-list.ts';
import type { ProjectChoices } from '@shared/projects/project-record.ts';
import { listProjects } from '@shared/projects/project-list.ts';
import { useClient } from '../connection/core-context.ts';
import { useRoots } from '../connection/use-host-info.ts';
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

/** Settings have an unknown type here; the core has checked them. */
function isChoices(value: unknown): value is ProjectChoices {
  return typeof value === 'object' && value !== null && 'added' in value && 'removed' in value && 'records' in value;
}
