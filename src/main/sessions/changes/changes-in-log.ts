import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import {
  type ChangeState,
  isSameImage,
  type OtherChange,
  reduceChange,
  reduceHunksTaken,
  reviewChange,
} from '@shared/session/file-change-state.ts';
import { createLogFold } from '../journal/log-fold.ts';
import type { Journal } from '../journal/journal.ts';

/** One change to a file of the workspace. */
export interface LoggedMove {
  readonly seq: number;
  readonly before: FileImage;
  readonly after: FileImage;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface ChangesOfLog {
  readonly byPath: Map<string, ChangeState>;
  /** What happened to each path of the workspace, oldest first. */
  readonly moves: Map<string, LoggedMove[]>;
  readonly callStarts: Map<string, number>;
  /** When the changes were made, in milliseconds since 1970. */
  spans: Span[];
  previousAt: number;
  restoringSince: number;
  /** Changes up to this event are those of another session's workspace. */
  settledSeq: number;
}

/** A change without a call (a take, an undo) takes less time than this. */
const longestMoveMs = 10_000;

const changesIn = createLogFold<ChangesOfLog>(
  () => ({
    byPath: new Map(),
    moves: new Map(),
    callStarts: new Map(),
    spans: [],
    previousAt: 0,
    restoringSince: 0,
    settledSeq: 0,
  }),
  addEvent,
);

function addEvent(log: ChangesOfLog, event: SessionEvent): void {
  switch (event.type) {
    case 'tool-started':
      log.callStarts.set(event.toolCallId, event.at);
      break;
    case 'file-changed':
      addChange(log, event);
      break;
    case 'hunks-taken': {
      const change = log.byPath.get(event.path);
      if (change !== undefined) log.byPath.set(event.path, reduceHunksTaken(change, event));
      break;
    }
    case 'changes-taken':
      for (const path of event.paths) {
        const change = log.byPath.get(path);
        if (change !== undefined) log.byPath.set(path, reviewChange(change));
      }
      break;
    case 'restore-began':
      log.restoringSince = event.at;
      break;
    case 'restore-ended':
      // Its folders are made after the event that tells of their file.
      log.spans.push({ from: log.restoringSince, to: event.at });
      break;
    case 'history-copied':
      if (event.changes === 'settled') settle(log, event.seq);
      break;
    default:
  }
  log.previousAt = event.at;
}

function addChange(log: ChangesOfLog, event: EventOf<'file-changed'>): void {
  const { path, seq, before, after, toolCallId, at } = event;
  const change = reduceChange(log.byPath.get(path), event);
  log.byPath.set(path, change);
  if (change.last.side === 'workspace') {
    const moves = log.moves.get(path) ?? [];
    moves.push({ seq, before, after });
    log.moves.set(path, moves);
  }
  const started = toolCallId === null ? undefined : log.callStarts.get(toolCallId);
  log.spans.push({ from: started ?? Math.max(log.previousAt, at - longestMoveMs), to: at });
}

function settle(log: ChangesOfLog, seq: number): void {
  log.byPath.clear();
  log.moves.clear();
  log.spans = [];
  log.settledSeq = seq;
}

type LogReader = Pick<Journal, 'read'>;

/** The net change of each path, also of those that do not fit into the folded state. */
export async function allChanges(journal: LogReader): Promise<readonly ChangeState[]> {
  return [...(await changesIn(journal)).byPath.values()];
}

/** The changes to the workspace after an event, by path, oldest first; and the last event that cannot be reverted. */
export async function movesSince(
  journal: LogReader,
  seq: number,
): Promise<{ readonly moves: ReadonlyMap<string, readonly LoggedMove[]>; readonly settledSeq: number }> {
  const { moves, settledSeq } = await changesIn(journal);
  const since = [...moves].map(([path, all]) => [path, all.filter((move) => move.seq > seq)] as const);
  return { moves: new Map(since.filter(([, some]) => some.length > 0)), settledSeq };
}

/** What somebody else changed in a file of the workspace between two events of it, oldest first. */
export async function changesBetween(
  journal: LogReader,
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly OtherChange[]> {
  const all = (await changesIn(journal)).moves.get(path) ?? [];
  const moves = all.filter(({ seq }) => seq >= from && seq <= to);
  return moves.flatMap(({ before }, at) => {
    const previous = moves[at - 1];
    return previous === undefined || isSameImage(previous.after, before) ? [] : [{ from: previous.after, to: before }];
  });
}

/** The number of the last change of each path in the workspace. */
export async function lastMoves(journal: LogReader): Promise<readonly number[]> {
  return [...(await changesIn(journal)).moves.values()].map((moves) => moves.at(-1)?.seq ?? 0);
}

/** File systems take timestamps from a clock that ticks every few milliseconds. In milliseconds. */
const clockTickMs = 50;

/**
 * Returns a check whether a folder with this creation time (milliseconds since 1970) was made by a change of this
 * session, that is during the call of the change. If the file system does not report creation times, no folder counts.
 */
export async function foldersMadeBy(journal: LogReader): Promise<(madeAtMs: number) => boolean> {
  const spans = [...(await changesIn(journal)).spans];
  return (madeAtMs) => spans.some(({ from, to }) => madeAtMs >= from - clockTickMs && madeAtMs <= to);
}
