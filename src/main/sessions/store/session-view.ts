import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { emptyMoney, type MoneyState, reduceMoney } from '@shared/money/session-money.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession, type SessionState } from '@shared/session/session-state.ts';
import { isMissing } from '../../lib/files/json-file.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import { problemsOf } from '../log/log-repair.ts';
import { type LogPosition, readEvents, type ScanResult, scanLog } from '../log/log-scan.ts';
import { loadSnapshot, type Snapshot } from './state-snapshot.ts';

/** Where the parts of one session are. */
export interface SessionPaths {
  readonly folder: string;
  readonly log: string;
  readonly snapshot: string;
  readonly summary: string;
  readonly lock: string;
}

/** The state and the money of a session, as far as its events were folded. */
export interface SessionFold {
  state: SessionState;
  money: MoneyState;
}

/** A session as stored on disk, for reading only: no lock is taken and nothing is repaired. */
export interface SessionView {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly money: MoneyState;
  /** Problems in the part that was read, in words. The log is not changed. */
  readonly problems: readonly string[];
  /** Positions about every MiB. */
  readonly marks: readonly LogPosition[];
  /** From `fromSeq` (default 1) on. Skips damaged records. */
  read(fromSeq?: number): AsyncIterable<SessionEvent>;
}

/** Starts a fold at the end of the snapshot, or at the beginning without one. `folded` changes as events come. */
export async function startFold(
  paths: SessionPaths,
  useSnapshot: boolean,
): Promise<{ folded: SessionFold; snapshot: Snapshot | null; onEvent: (event: SessionEvent) => void }> {
  const snapshot = useSnapshot ? await loadSnapshot(paths.snapshot, paths.log) : null;
  const folded: SessionFold = { state: snapshot?.state ?? emptySession, money: snapshot?.money ?? emptyMoney };
  const onEvent = (event: SessionEvent): void => {
    folded.state = reduceSession(folded.state, event);
    folded.money = reduceMoney(folded.money, event);
  };
  return { folded, snapshot, onEvent };
}

/** Where the old contents of files are kept while something of a session may change them. */
export function baselinePath(folder: string): string {
  return join(folder, 'before.pack');
}

/** The state with its project by its key. A log of an earlier version may name it by a link. */
export async function withProjectKey(state: SessionState): Promise<SessionState> {
  const { projectPath } = state;
  const key = projectPath === null ? null : await projectKey(projectPath);
  return key === projectPath ? state : { ...state, projectPath: key };
}

export function placeOf({ seq, offset }: LogPosition): LogPosition {
  return { seq, offset };
}

export async function viewSession(paths: SessionPaths, sessionId: string, isWhole = false): Promise<SessionView> {
  await mustExist(paths, sessionId);
  const { folded, snapshot, onEvent } = await startFold(paths, !isWhole);
  const start = snapshot ? placeOf(snapshot) : { seq: 0, offset: 0 };
  const scan: ScanResult = await scanLog(paths.log, start, onEvent);
  if (scan.lastSeq === 0) throw unreadable(sessionId);
  const marks = [...(snapshot?.marks ?? []), ...scan.marks];
  return {
    sessionId,
    ...folded,
    state: await withProjectKey(folded.state),
    problems: problemsOf(scan),
    marks,
    read: (fromSeq = 1) => {
      const from = marks.findLast((mark) => mark.seq < fromSeq) ?? { seq: 0, offset: 0 };
      return readEvents(paths.log, from, scan.end, fromSeq);
    },
  };
}

/** An empty log comes from a start that was killed before the first event was written. */
export async function mustExist(paths: SessionPaths, sessionId: string): Promise<void> {
  if (((await sizeOf(paths.log)) ?? 0) === 0) {
    throw new AppError('not-found', `The session "${sessionId}" was not found.`, {
      hint: 'Run `dewpoint sessions list` to see your sessions.',
    });
  }
}

export async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function unreadable(sessionId: string): AppError {
  return new AppError('log-damaged', `The log of session ${sessionId} cannot be read.`, {
    hint: 'The damaged bytes are kept in its folder.',
  });
}
