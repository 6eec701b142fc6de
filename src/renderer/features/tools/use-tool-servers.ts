import { useQuery } from '@tanstack/react-query';
import type { ToolServerReport } from '@shared/tools/server-definition.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import type { Work } from '../../lib/connection/use-work.ts';
import { useWork } from '../../lib/connection/use-work.ts';

/** The servers as one project sees them; null: what applies to all. Listing them starts none. */
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
  /** Null: what applies to all projects. */
  readonly project: string | null;
  /** Read-only from here. */
  readonly isRefused: boolean;
  /** When this state was read. */
  readonly readAt: number;
}

export function inProject(project: string | null): { readonly projectPath?: string } {
  return project === null ? {} : { projectPath: project };
}

/** Runs one long task at a time, then reloads the servers. */
export const useToolWork = (): Work => useWork('tools');

/** What was read appears within this many frames. */
const mostFrames = 120;

/**
 * Moves the focus on to the next thing to look at about a server: what would be started, or the tools that wait.
 * Null, or without such a thing: to the server. Not if the person has moved the focus meanwhile.
 */
export function goOnAtServer(name: string, next: 'start' | 'tools' | null): void {
  moveOn({ name, next, from: document.activeElement }, 0);
}

interface FocusMove {
  readonly name: string;
  readonly next: 'start' | 'tools' | null;
  readonly from: Element | null;
}

function moveOn({ name, next, from }: FocusMove, frame: number): void {
  if (document.activeElement !== from && document.activeElement !== document.body) return;
  const card = document.querySelector<HTMLElement>(`[data-tool-server="${CSS.escape(name)}"]`);
  const part = next === null ? card : (card?.querySelector<HTMLElement>(`[data-next="${next}"]`) ?? null);
  if (part !== null) part.focus();
  else if (frame < mostFrames) requestAnimationFrame(() => moveOn({ name, next, from }, frame + 1));
  else card?.focus();
}
