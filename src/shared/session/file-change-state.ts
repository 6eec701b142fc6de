import type { EventOf } from '@shared/events/events.ts';
import type { FileImage, HunkChoices } from '@shared/events/tool-events.ts';

/**
 * The net change of a session to one path: from before the first change since the last take to after the latest one.
 * Statuses such as `undone` are derived by `changeStatus` and not stored.
 */
export interface ChangeState {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  readonly added: number | null;
  readonly removed: number | null;
  /** The `file-changed` events (seq) since `before`, latest last. */
  readonly seqs: readonly number[];
  /** The last event for this path, in the workspace or in the project. */
  readonly last: LastChange;
  /** True once the user took the change (or, without a copy, marked it as reviewed). */
  readonly reviewed: boolean;
  /** What the take wrote into the project folder; null when it wrote nothing. */
  readonly taken: TakenChange | null;
  /** Present once the user decided on single hunks. Then `before` is the state that was taken so far. */
  readonly hunks?: HunkChoices;
  /** What somebody else changed in the file between changes of the session, oldest first, since `before` or `undone`. */
  readonly others?: readonly OtherChange[] | 'too-many';
  /** What the last undo of the whole change left, where it differs from `before`: somebody else's lines stay. */
  readonly undone?: FileImage;
}

/** A change to a file that the session did not make. */
export interface OtherChange {
  readonly from: FileImage;
  readonly to: FileImage;
}

/** A file with more is not undone, because each is merged. */
const mostOthers = 100;

interface LastChange {
  readonly seq: number;
  readonly side: 'workspace' | 'project';
  /**
   * The user undid something, so the next undo brings it back. When the agent itself reverts something, this is false.
   */
  readonly isUndo: boolean;
  readonly before: FileImage;
  readonly after: FileImage;
}

/** The project folder's side of a change in a copy. `seqs` holds the take and its undos. */
interface TakenChange {
  readonly seqs: readonly number[];
  readonly before: FileImage;
  readonly after: FileImage;
}

export type ChangeStatus = 'pending' | 'undone' | 'reviewed';

export function changeStatus(change: ChangeState): ChangeStatus {
  if (change.reviewed) return 'reviewed';
  return isSameImage(leftByUndo(change), change.after) && !hasOthers(change) ? 'undone' : 'pending';
}

/** Whether there were changes, and none is left, because the user undid them. */
export function areAllUndone(changes: readonly ChangeState[]): boolean {
  return changes.some(({ last }) => last.isUndo) && changes.every((change) => changeStatus(change) === 'undone');
}

/** The file that the net change begins with, without what somebody else changed in it since. */
export function leftByUndo({ before, undone }: Pick<ChangeState, 'before' | 'undone'>): FileImage {
  return undone === undefined ? before : undone;
}

/** Whatever the modes are. The session may have removed what somebody else wrote. */
function hasOthers({ others = [] }: ChangeState): boolean {
  return others === 'too-many' || others.some(({ from, to }) => !isSameContent(from, to));
}

/** Compares by what the log knows. An image that was not kept equals nothing. */
export function isSameImage(left: FileImage, right: FileImage): boolean {
  if (left === null || right === null) return left === right;
  return left.kept && right.kept && left.blob.sha256 === right.blob.sha256 && left.mode === right.mode;
}

/** Whatever the modes are. Two images that were both not kept count as the same: nothing is known of a difference. */
export function isSameContent(left: FileImage, right: FileImage): boolean {
  if (left === null || right === null) return left === right;
  if (!left.kept || !right.kept) return left.kept === right.kept;
  return left.blob.sha256 === right.blob.sha256;
}

/** Folds one `file-changed` event into the state of its path. */
export function reduceChange(known: ChangeState | undefined, event: EventOf<'file-changed'>): ChangeState {
  const isTaken = event.by === 'take' || (known?.taken?.seqs.some((seq) => event.undoes.includes(seq)) ?? false);
  if (isTaken && known) return withHunks(reduceTaken(known, event), event.hunks);
  const last: LastChange = { ...lastOf(event), side: 'workspace' };
  if (!known || (known.reviewed && event.hunks === undefined)) {
    const { path, before, after, added, removed } = event;
    return { path, before, after, added, removed, seqs: [event.seq], last, reviewed: false, taken: null };
  }
  const seqs = [...known.seqs, event.seq];
  const next = { ...withoutHunks(known), after: event.after, ...countsOf(known, event), seqs, last };
  return withHunks(isWholeUndo(known, event) ? afterUndo(next) : withOthers(next, known, event), event.hunks);
}

function isWholeUndo({ seqs }: ChangeState, { by, undoes, hunks }: EventOf<'file-changed'>): boolean {
  if (by !== 'undo' || hunks !== undefined) return false;
  const undone = new Set(undoes);
  return seqs.every((seq) => undone.has(seq));
}

function afterUndo(known: ChangeState): ChangeState {
  const { others: _, undone: __, ...change } = known;
  const undone = isSameImage(change.before, change.after) ? {} : { undone: change.after };
  return { ...change, ...undone, added: 0, removed: 0 };
}

/** Notes what somebody else did to the file before the event. */
function withOthers(next: ChangeState, known: ChangeState, { before }: EventOf<'file-changed'>): ChangeState {
  if (isSameImage(known.after, before)) return next;
  // Somebody put the file back to what it was before the session changed it.
  if (isSameImage(leftByUndo(known), before)) return { ...next, others: [] };
  const { others = [] } = known;
  const isTooMany = others === 'too-many' || others.length === mostOthers;
  return { ...next, others: isTooMany ? 'too-many' : [...others, { from: known.after, to: before }] };
}

/** Folds an event that took hunks without changing the file. */
export function reduceHunksTaken(change: ChangeState, { hunks }: EventOf<'hunks-taken'>): ChangeState {
  return withHunks(change, hunks);
}

function withHunks(change: ChangeState, hunks: HunkChoices | undefined): ChangeState {
  if (hunks === undefined) return change;
  const { base, added, removed, states } = hunks;
  const reviewed = states.includes('taken') && !states.includes('open');
  // The hunks are those without what somebody else changed.
  const { others: _, undone: __, ...own } = change;
  return { ...own, before: base, added, removed, reviewed, hunks };
}

/** Drops the hunks after a new change by the agent or the user, because the old hunk states no longer apply. */
function withoutHunks(known: ChangeState): ChangeState {
  const { hunks: _, ...change } = known;
  return change;
}

/** Marks a path as taken or reviewed. */
export function reviewChange(change: ChangeState): ChangeState {
  const { hunks, after } = change;
  if (hunks === undefined) return { ...change, reviewed: true };
  const states = hunks.states.map((state) => (state === 'open' ? 'taken' : state));
  return { ...change, before: after, reviewed: true, hunks: { ...hunks, base: after, states } };
}

/** A text that changes with each change of a path and with each decision about it. */
export function changeVersion({ last, reviewed, hunks }: ChangeState): string {
  return `${last.seq}${reviewed ? 'r' : ''}${hunks?.states.map((state) => state.charAt(0)).join('') ?? ''}`;
}

function lastOf(event: EventOf<'file-changed'>): Omit<LastChange, 'side'> {
  return {
    seq: event.seq,
    isUndo: event.by === 'undo' && event.toolCallId === null,
    before: event.before,
    after: event.after,
  };
}

/** Folds a take, its undo, or the undo of that. The change in the workspace stays the same. */
function reduceTaken(known: ChangeState, event: EventOf<'file-changed'>): ChangeState {
  const last: LastChange = { ...lastOf(event), side: 'project' };
  if (event.by === 'take') {
    return { ...known, last, reviewed: true, taken: { seqs: [event.seq], before: event.before, after: event.after } };
  }
  const taken = known.taken ?? { seqs: [], before: event.after, after: event.before };
  return {
    ...known,
    last,
    // The file in the project may hold what somebody else wrote, so the images do not tell.
    reviewed: event.undoes.includes(known.last.seq) ? !known.reviewed : isSameImage(event.after, taken.after),
    taken: { ...taken, seqs: [...taken.seqs, event.seq] },
  };
}

/**
 * Lines added and removed. Net where that is known, otherwise the sum. Of a new file, every line
 * that it has was added; of a deleted one, every line that it had was removed.
 */
function countsOf(known: ChangeState, event: EventOf<'file-changed'>): Pick<ChangeState, 'added' | 'removed'> {
  const before = leftByUndo(known);
  if (isSameImage(before, event.after)) return { added: 0, removed: 0 };
  if (isSameImage(before, event.before)) return { added: event.added, removed: event.removed };
  if (event.net !== undefined && !hasOthers(known) && isSameImage(known.after, event.before)) return event.net;
  const added = sum(known.added, event.added);
  const removed = sum(known.removed, event.removed);
  if (added === null || removed === null) return { added, removed };
  if (before === null) return { added: Math.max(0, added - removed), removed: 0 };
  return event.after === null ? { added: 0, removed: Math.max(0, removed - added) } : { added, removed };
}

function sum(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}
