import type { SessionSummary } from '@shared/contract.ts';
import type { SessionSummary as StoredSummary } from '../sessions/summary.ts';

/** A line of the list as hosts get it. `status`: what runs now, which no log says. */
export function listedSession(summary: StoredSummary, status: SessionSummary['status']): SessionSummary {
  return {
    sessionId: summary.id,
    title: summary.title,
    projectPath: summary.projectPath,
    createdAt: summary.createdAt,
    updatedAt: summary.lastAt,
    steps: summary.steps,
    costUsd: summary.costUsd,
    status,
    lastReason: summary.problem?.message ?? summary.status,
  };
}
