import type { SessionSummary } from '@shared/contract/contract.ts';
import type { StoredSummary } from '../store/stored-summary.ts';

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
    lastReason: summary.problem?.message ?? (wasLeft ? 'error' : summary.status),
  };
}
