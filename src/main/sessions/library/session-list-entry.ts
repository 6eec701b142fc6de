import { projectOfSession } from '@shared/projects/project-keys.ts';
import type { ProjectRecords } from '@shared/projects/project-record.ts';
import type { StoredSummary } from '../store/stored-summary.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** What ended longer ago is no news any more, looked at or not. */
const newsMs = 14 * 24 * 60 * 60 * 1000;

/** A line of the list for hosts. `status`: what is running now, which no log says. */
export function toSessionSummary(
  summary: StoredSummary,
  status: SessionSummary['status'],
  records: ProjectRecords,
  now: number = Date.now(),
): SessionSummary {
  // A killed process wrote no end. The end is written when the session is opened.
  const wasLeft = status === 'idle' && summary.status === 'running';
  const isWaiting = status === 'idle' && summary.isWaiting;
  const isUnseen = status === 'idle' && !isWaiting && (summary.isUnseen || wasLeft) && now - summary.lastAt < newsMs;
  return {
    sessionId: summary.id,
    title: summary.title,
    projectPath: summary.projectPath,
    project: projectOfSession(records, summary),
    createdAt: summary.createdAt,
    updatedAt: summary.lastAt,
    steps: summary.steps,
    costUsd: summary.costUsd,
    status,
    ...(summary.tree?.by === undefined ? {} : { startedBy: summary.tree.by.sessionId }),
    ...(summary.groupId === null ? {} : { comparison: summary.groupId }),
    ...(summary.branchOf === null ? {} : { branchOf: summary.branchOf }),
    isPinned: summary.isPinned,
    isArchived: summary.isArchived,
    tags: summary.tags,
    models: summary.models,
    places: summary.places,
    lastReason: summary.problem?.message ?? (wasLeft ? (isWaiting ? 'waiting' : 'error') : summary.status),
    ...(isWaiting ? { isWaiting } : {}),
    ...(isUnseen ? { isUnseen } : {}),
  };
}

/** The folders in which sessions work or have worked. Their content may come from a model. */
export async function sessionFolders(store: Pick<SessionStore, 'list'>): Promise<readonly string[]> {
  const sessions = await store.list();
  const folders = sessions.flatMap(({ projectPath, workspace }) => [projectPath, workspace?.path ?? null]);
  return [...new Set(folders.filter((folder) => folder !== null))];
}
