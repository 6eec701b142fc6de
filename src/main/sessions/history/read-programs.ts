import type { SessionEvent } from '@shared/events/events.ts';
import type { ProgramReport, ProgramReports } from '@shared/session/program-reports.ts';
import { foldPrograms } from '@shared/session/program-reports.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { diffFiles } from '../changes/file-diff.ts';

interface ReadLog {
  readonly state: Pick<SessionState, 'projectPath'>;
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
}

/** The programs of a session, each with the difference to the one before. */
export async function readPrograms(log: ReadLog): Promise<ProgramReports> {
  const programs = await foldPrograms(log.read(1));
  return {
    projectPath: log.state.projectPath,
    programs: programs.map((one, at) => ({ ...one, diff: diffOf(programs.slice(0, at), one) })),
  };
}

/** The difference to the last program of the same turn, or to the last one with the same suggested name. */
function diffOf(earlier: readonly ProgramReport[], one: ProgramReport): string | null {
  const { text, turnId, keep } = one;
  const before = earlier.findLast(
    (other) => other.text !== null && (other.turnId === turnId || (keep !== null && other.keep?.name === keep.name)),
  );
  if (text === null || before === undefined || before.text === null) return null;
  const encoder = new TextEncoder();
  const { text: diff, removed } = diffFiles('program', encoder.encode(before.text), encoder.encode(text));
  const lines = before.text.trimEnd().split('\n').length;
  return diff === null || removed === null || removed >= lines ? null : diff;
}
