import type { StoredSummary } from '../store/stored-summary.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** A line of the list as hosts get it. `status`: what runs now, which no log says. */
export function toSessionSummary(summary: StoredSummary, status: SessionSummary['status']): SessionSummary {
  // A process that was killed wrote no end; whoever opens the session writes this one.
  const wasLeft = status === 'idle' && summary.status === 'running';
  return {
    sessionId: summary.id,
    title: summary.title,
    projectPath: summary.projectPath,
    createdAt: summary.createdAt,
    updatedAt: summary.lastAt,
    steps: summary.steps,
    costUsd: summary.costUsd,
    status,
    ...(summary.tree?.by === undefined ? {} : { startedBy: summary.tree.by.sessionId }),
    isPinned: summary.isPinned,
    isArchived: summary.isArchived,
    tags: summary.tags,
    models: summary.models,
    places: summary.places,
    lastReason: summary.problem?.message ?? (wasLeft ? 'error' : summary.status),
  };
}

/** Where sessions work or have worked: what lies there may be a model's. */
export async function sessionFolders(store: Pick<SessionStore, 'list'>): Promise<readonly string[]> {
  const sessions = await store.list();
  const folders = sessions.flatMap(({ projectPath, workspace }) => [projectPath, workspace?.path ?? null]);
  return [...new Set(folders.filter((folder) => folder !== null))];
}
