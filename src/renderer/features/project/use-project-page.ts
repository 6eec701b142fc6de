import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectPage } from '@shared/projects/project-page.ts';
import type { RecordChange } from '@shared/projects/project-record.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';

/** What the user says about a project, and the function that changes it. */
export interface PageHandle {
  /** Undefined: not read yet. */
  readonly page: ProjectPage | undefined;
  readonly isRefused: boolean;
  /** What went wrong with the last change, if it was one of these. Null: nothing. Each part of the page shows its own. */
  readonly problemOf: (...changes: readonly RecordChange['type'][]) => string | null;
  /** Why the page could not be read; null: it was. */
  readonly unread: string | null;
  /** True when it was saved. */
  readonly say: (change: RecordChange) => Promise<boolean>;
}

export function useProjectPage(project: string): PageHandle {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('projects.change');
  const [problem, setProblem] = useState<{ readonly of: RecordChange['type']; readonly text: string } | null>(null);
  const queryKey = ['project-page', project];
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.projects.page({ project }, { signal }),
    staleTime: 0,
  });
  const say = async (change: RecordChange): Promise<boolean> => {
    setProblem(null);
    try {
      await client.projects.change({ project, change });
      await queries.invalidateQueries({ queryKey });
      await queries.invalidateQueries({ queryKey: ['settings', 'projects'] });
      return true;
    } catch (error) {
      setProblem({ of: change.type, text: failureText(error) });
      return false;
    }
  };
  return {
    page: found.data,
    isRefused,
    problemOf: (...changes) => (problem !== null && changes.includes(problem.of) ? problem.text : null),
    unread: found.error === null ? null : failureText(found.error),
    say,
  };
}
