import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ToolServerReport } from '@shared/tools/server-definition.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';

/** The servers as one project sees them; null: as they are in all. Looking at them starts none. */
export function useToolServers(projectPath: string | null) {
  const client = useClient();
  const isRefused = useIsCommandRefused('tools.add');
  const query = useQuery({
    queryKey: ['tools', projectPath],
    queryFn: ({ signal }) => client.tools.list(inProject(projectPath), { signal }),
    staleTime: 0,
    placeholderData: (last) => last,
  });
  return { query, isRefused };
}

export interface ServerProps {
  readonly server: ToolServerReport;
  /** Null: what holds in all. */
  readonly project: string | null;
  /** It can only be looked at from here. */
  readonly isRefused: boolean;
  /** When it was as it is shown. */
  readonly readAt: number;
}

export function inProject(project: string | null): { readonly projectPath?: string } {
  return project === null ? {} : { projectPath: project };
}

export interface Work {
  readonly isBusy: boolean;
  readonly problem: string | null;
  /** False: it failed or was cancelled; then `problem` says why. */
  readonly run: (work: (signal: AbortSignal) => Promise<unknown>) => Promise<boolean>;
  readonly cancel: () => void;
}

/** One thing at a time that may take long; afterwards the servers are read again, whatever came of it. */
export function useToolWork(): Work {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run: Work['run'] = async (work) => {
    const controller = new AbortController();
    stop.current = controller;
    setBusy(true);
    setProblem(null);
    try {
      await work(controller.signal);
      return true;
    } catch (error) {
      if (!controller.signal.aborted) setProblem(failureText(error));
      return false;
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ queryKey: ['tools'] });
    }
  };
  return { isBusy, problem, run, cancel: () => stop.current?.abort() };
}
