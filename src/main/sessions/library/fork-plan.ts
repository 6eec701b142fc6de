import type { EventOf, EventType, NewEvent, SessionEvent } from '@shared/events/events.ts';
import { isImportedHistory } from '@shared/safety/approval-grants.ts';
import { type ChangeState, reduceChange } from '@shared/session/file-change-state.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession, type SessionState } from '@shared/session/session-state.ts';
import { crashRepairEvents } from '../store/crash-repair.ts';
import type { FileImage } from '@shared/events/tool-events.ts';

/** Where a fork branches off, by id: before a message or a step, or after a turn or a step with all it did. */
export type ForkPoint = { readonly before: string } | { readonly after: string };

export interface ForkPlan {
  /** The last event that the fork shares with its parent. 0: none. */
  readonly upToSeq: number;
  /** Events that end what was open at that point. */
  readonly ends: readonly NewEvent[];
  /** The last move since that point: the fork is where its parent is now. Null: there was none here. */
  readonly moved: NewEvent | null;
  /** The earlier image of each workspace file that was changed since that point. */
  readonly restore: readonly { readonly path: string; readonly image: FileImage }[];
  /** The whole history was imported, and the event that says so comes after the cut. */
  readonly isForeign: boolean;
}

/** Null: the log has no such message, step or turn. `point` null: the end of the log. */
export async function planFork(events: AsyncIterable<SessionEvent>, point: ForkPoint | null): Promise<ForkPlan | null> {
  const finder = createFinder(point);
  const changes = new Map<string, ChangeState>();
  const later: { readonly seq: number; readonly path: string; readonly image: FileImage }[] = [];
  let state = emptySession;
  let copiedAt = 0;
  let moved: EventOf<'session-moved'> | null = null;
  let cut: SessionState | null = null;
  for await (const event of events) {
    cut ??= finder.before(event, state);
    state = reduceSession(state, event);
    cut ??= finder.after(event, state);
    if (event.type === 'history-copied' && isImportedHistory(event)) copiedAt = event.seq;
    if (event.type === 'session-moved') moved = event;
    if (event.type !== 'file-changed') continue;
    const change = reduceChange(changes.get(event.path), event);
    changes.set(event.path, change);
    const isInWorkspace = change.last.seq === event.seq && change.last.side === 'workspace';
    const isSince = event.seq > (cut ?? finder.candidate() ?? state).seq;
    if (isInWorkspace && isSince) later.push({ seq: event.seq, path: event.path, image: event.before });
  }
  cut ??= point === null ? state : finder.candidate();
  if (cut === null) return null;
  const restore = new Map<string, FileImage>();
  for (const { seq, path, image } of later) if (seq > cut.seq && !restore.has(path)) restore.set(path, image);
  return {
    upToSeq: cut.seq,
    ends: endsOf(cut),
    moved: moved !== null && moved.seq > Math.max(cut.seq, copiedAt) ? moveTo(moved) : null,
    restore: [...restore].map(([path, image]) => ({ path, image })),
    isForeign: copiedAt > cut.seq,
  };
}

function moveTo({ project, name, chosen }: EventOf<'session-moved'>): NewEvent {
  return { type: 'session-moved', project, name, ...(chosen === undefined ? {} : { chosen }) };
}

interface Finder {
  /** The state at the point, if the point is before this event. */
  readonly before: (event: SessionEvent, state: SessionState) => SessionState | null;
  /** The state at the point, if the point is after this event. */
  readonly after: (event: SessionEvent, state: SessionState) => SessionState | null;
  /** The state after the step, as long as it is unknown whether the turn went on. */
  readonly candidate: () => SessionState | null;
}

function createFinder(point: ForkPoint | null): Finder {
  let candidate: SessionState | null = null;
  let isPassed = false;
  if (point === null) return { before: () => null, after: () => null, candidate: () => null };
  if ('before' in point) {
    return {
      before: (event, state) => (isBeginOf(event, point.before) ? state : null),
      after: () => null,
      candidate: () => null,
    };
  }
  return {
    before: (event, state) => {
      if (isPassed && endsStep.has(event.type) && !isOwn(event, point.after)) candidate ??= state;
      // More work follows, so the fork ends with the step and not with the turn.
      return candidate !== null && isWork(event) ? candidate : null;
    },
    after: (event, state) => {
      if (event.type === 'turn-ended' && (event.turnId === point.after || isPassed)) return state;
      if (event.type === 'model-call-ended' && event.callId === point.after) isPassed = true;
      return null;
    },
    candidate: () => (isPassed ? candidate : null),
  };
}

function isBeginOf(event: SessionEvent, id: string): boolean {
  if (event.type === 'user-message-added') return event.messageId === id;
  return (event.type === 'route-decided' || event.type === 'model-call-started') && event.callId === id;
}

/** Events that no longer belong to the step before them. */
const endsStep: ReadonlySet<EventType> = new Set<EventType>([
  'route-decided',
  'model-call-started',
  'check-ended',
  'gate-checked',
  'stage-chosen',
  'recipe-progressed',
  'context-compacted',
  'user-message-added',
  'message-delivered',
  'tool-started',
  'turn-started',
]);

/** A tool that the model called belongs to its step. A recipe's own action does not. */
function isOwn(event: SessionEvent, callId: string): boolean {
  if (event.type === 'tool-started') return event.by === 'model';
  return (event.type === 'route-decided' || event.type === 'model-call-started') && event.callId === callId;
}

/** Begins another step. What a recipe does by itself after the last step belongs to the end of its turn. */
function isWork({ type }: SessionEvent): boolean {
  return type === 'route-decided' || type === 'model-call-started' || type === 'turn-started';
}

/** A turn that is cut in two ends as cancelled, which is also what a replay of it does. */
function endsOf(state: SessionState): readonly NewEvent[] {
  const isInCall =
    state.steps.some((step) => step.end === null) ||
    [...state.toolCalls, ...state.actions].some((call) => call.startedAt !== null && call.status === null);
  if (isInCall) return crashRepairEvents(state, null).filter((event) => event.type !== 'notice-added');
  const turns = state.turns.filter((turn) => turn.reason === null);
  return [
    ...turns.map((turn): NewEvent => ({
      type: 'turn-ended',
      turnId: turn.id,
      reason: 'cancelled',
      text: 'Cancelled.',
      confidence: null,
      failure: null,
    })),
    ...state.pending.map((messageId): NewEvent => ({ type: 'message-dropped', messageId })),
  ];
}
