import type { SessionSummary } from '@shared/contract.ts';

/** The folders that sessions work on, the latest first. */
export function projectsOf(sessions: readonly SessionSummary[]): readonly string[] {
  return [...new Set(sessions.flatMap((session) => session.projectPath ?? []))];
}
