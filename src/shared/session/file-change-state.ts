import type { EventOf } from '@shared/events/events.ts';
import type { FileImage, HunkChoices } from '@shared/events/tool-events.ts';

/**
 * What a session has done to one path, net: from before its first change since it was last taken to after its last.
 * `undone` and the like are not stored; see `changeStatus`.
 */
export interface ChangeState {
  readonly path: string;
  readonly before: FileImage;
  readonly after: FileImage;
  readonly added: number | null;
  readonly removed: number | null;
  /** The `file-changed` events (seq) since `before`, latest last. */
  readonly seqs: readonly number[];
  /** The last event of all for this path, on whichever side it was. */
  readonly last: LastChange;
  /** True once a person took it (or, in place, marked it as reviewed). */
  readonly reviewed: boolean;
  /** What the take wrote into the project folder, where it wrote anything. */
  readonly taken: TakenChange | null;
  /** Present once a person decided on single hunks; then `before` is what was taken so far. */
  readonly hunks?: HunkChoices;
}

interface LastChange {
  readonly seq: number;
  readonly side: 'workspace' | 'project';
  /** A person took something back; the next undo brings it again. What the agent takes back by itself is no such thing. */
  readonly isUndo: boolean;
  readonly before: FileImage;
  readonly after: FileImage;
}

/** The project folder's side of a change in a copy. `seqs`: the take, and the undos of it. */
interface TakenChange {
  readonly seqs: readonly number[];
  readonly before: FileImage;
  readonly after: FileImage;
}

export type ChangeStatus = 'pending' | 'undone' | 'reviewed';

export function changeStatus(change: ChangeState): ChangeStatus {
  if (change.reviewed) return 'reviewed';
  return isSameImage(change.before, change.after) ? 'undone' : 'pending';
}

/** Equal as far as the log knows; an image that was not kept equals nothing. */
export function isSameImage(left: FileImage, right: FileImage): boolean {
  if (left === null || right === null) return left === right;
  return left.kept && right.kept && left.blob.sha256 === right.blob.sha256 && left.mode === right.mode;
}

/** Folds one change of a path into what is known of it. */
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
  return withHunks(next, event.hunks);
}

/** Folds in which hunks were taken without a change of the file. */
export function reduceHunksTaken(change: ChangeState, { hunks }: EventOf<'hunks-taken'>): ChangeState {
  return withHunks(change, hunks);
}

function withHunks(change: ChangeState, hunks: HunkChoices | undefined): ChangeState {
  if (hunks === undefined) return change;
  const { base, added, removed, states } = hunks;
  const reviewed = states.includes('taken') && !states.includes('open');
  return { ...change, before: base, added, removed, reviewed, hunks };
}

/** A change of the agent, or of a person by hand, makes other hunks: those that were undone are gone. */
function withoutHunks({ path, before, after, added, removed, seqs, last, reviewed, taken }: ChangeState): ChangeState {
  return { path, before, after, added, removed, seqs, last, reviewed, taken };
}

/** Marks a path as taken or reviewed. */
export function reviewChange(change: ChangeState): ChangeState {
  const { hunks, after } = change;
  if (hunks === undefined) return { ...change, reviewed: true };
  const states = hunks.states.map((state) => (state === 'open' ? 'taken' : state));
  return { ...change, before: after, reviewed: true, hunks: { ...hunks, base: after, states } };
}

/** Differs after each change of a path, and after each decision on it. */
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

/** A take, its undo, the undo of that: the change in the workspace stays what it was. */
function reduceTaken(known: ChangeState, event: EventOf<'file-changed'>): ChangeState {
  const last: LastChange = { ...lastOf(event), side: 'project' };
  if (event.by === 'take') {
    return { ...known, last, reviewed: true, taken: { seqs: [event.seq], before: event.before, after: event.after } };
  }
  const taken = known.taken ?? { seqs: [], before: event.after, after: event.before };
  return {
    ...known,
    last,
    reviewed: isSameImage(event.after, taken.after),
    taken: { ...taken, seqs: [...taken.seqs, event.seq] },
  };
}

/** Lines added and removed, net where that is known without the contents, else summed up. */
function countsOf(known: ChangeState, event: EventOf<'file-changed'>): Pick<ChangeState, 'added' | 'removed'> {
  if (isSameImage(known.before, event.after)) return { added: 0, removed: 0 };
  if (isSameImage(known.before, event.before)) return { added: event.added, removed: event.removed };
  return { added: sum(known.added, event.added), removed: sum(known.removed, event.removed) };
}

function sum(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}
