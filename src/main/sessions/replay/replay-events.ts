import type { EventOf, EventType, NewEvent, SessionEvent } from '@shared/events/events.ts';
import { crashedNoticeCode } from '../store/crash-repair.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';

/** Who made an event of a recorded log, as far as a replay must know. */
export type Origin =
  /** The engine makes it again. */
  | 'engine'
  /** It came from outside of the engine, or from an effect, which a replay does not run: it is copied from the log. */
  | 'outside'
  /** May be either: it is copied if the engine does not make it. */
  | 'either'
  /** Appended when the session was opened after a crash. The engine of the recorded run had stopped here. */
  | 'crash';

const outsideTypes: ReadonlySet<EventType> = new Set<EventType>([
  'session-created',
  'session-renamed',
  'session-organized',
  'session-moved',
  'folder-moved',
  'history-copied',
  'session-repaired',
  'user-message-added',
  'options-chosen',
  'message-dropped',
  'plan-edited',
  'sandbox-lost',
  'service-changed',
  'untracked-found',
  'terminal-opened',
  'terminal-closed',
  'engine-waited',
  'cache-prefilled',
  'file-changed',
  'changes-taken',
  'hunks-taken',
  'restore-began',
  'restore-ended',
  'child-session-started',
  'child-session-ended',
]);

const eitherTypes: ReadonlySet<EventType> = new Set<EventType>(['sandbox-started', 'turn-started', 'notice-added']);

/** The origin of every event of a log, in order. */
export function originsOf(events: readonly SessionEvent[]): readonly Origin[] {
  const origins: Origin[] = [];
  // Read-only calls may run in parallel.
  const open = new Set<string>();
  for (const event of events) {
    origins.push(originOf(event, open));
    if (event.type === 'tool-started' && event.parent === undefined) open.add(event.toolCallId);
    if (event.type === 'tool-ended') open.delete(event.toolCallId);
    if (event.type === 'turn-ended') open.clear();
  }
  markCrashes(events, origins);
  return origins;
}

function originOf(event: SessionEvent, open: ReadonlySet<string>): Origin {
  if (outsideTypes.has(event.type) || isOfChild(event) || isOfProgram(event)) return 'outside';
  // Events inside of an effect (a question, a note) belong to the effect, which a replay does not run.
  if (open.size > 0 && !isOfCall(event, open) && !endsTurn(event)) return 'either';
  return eitherTypes.has(event.type) ? 'either' : 'engine';
}

/** A child's question that its parent shows. */
function isOfChild(event: SessionEvent): boolean {
  const isQuestion = event.type === 'approval-requested' || event.type === 'approval-answered';
  return isQuestion && event.child !== undefined;
}

/** A call that a program made. The end of the program itself tells the engine everything. */
function isOfProgram(event: SessionEvent): boolean {
  return (event.type === 'tool-started' || event.type === 'tool-ended') && event.parent !== undefined;
}

/** Only the engine requests a model's call, starts it and ends one that is open. */
function isOfCall(event: SessionEvent, open: ReadonlySet<string>): boolean {
  if (event.type === 'tool-ended') return open.has(event.toolCallId);
  return event.type === 'tool-call-requested' || (event.type === 'tool-started' && event.by === 'model');
}

function endsTurn(event: SessionEvent): boolean {
  return event.type === 'turn-ended';
}

/** Marks the ends of turns that a crash had cut off, and the events before each that ended what was open. */
function markCrashes(events: readonly SessionEvent[], origins: Origin[]): void {
  events.forEach((event, index) => {
    if (event.type !== 'turn-ended' || !isCutOff(event, events[index - 1])) return;
    origins[index] = 'crash';
    for (let at = index - 1; at >= 0; at -= 1) {
      const before = events[at];
      if (!before) return;
      if (before.type === 'session-repaired') continue;
      if (!isCrashEnd(before)) return;
      origins[at] = 'crash';
    }
  });
}

/** A turn that was cut off at its question to the person ends as waiting for the answer. */
function isCutOff({ reason }: EventOf<'turn-ended'>, before: SessionEvent | undefined): boolean {
  return reason === 'crashed' || (reason === 'waiting' && before !== undefined && isCrashEnd(before));
}

function isCrashEnd(event: SessionEvent): boolean {
  if (event.type === 'tool-ended') return event.status === 'unknown';
  return event.type === 'model-call-ended' && event.error?.code === crashedNoticeCode;
}

/**
 * Measured fields, and fields that depend on how an effect went. A replay copies them from the record and does not
 * compare them. All other fields must be equal.
 */
const measured: Readonly<Partial<Record<EventType, readonly string[]>>> = {
  'call-fenced': ['manifest'],
  'cap-reached': ['here', 'stepUsd'],
  'output-limited': ['worstUsd', 'maxOutputTokens'],
  'model-call-started': ['request', 'promptTokens', 'promptBytes'],
  'model-call-ended': ['usage', 'evaluatedTokens', 'timings', 'price', 'costUsd', 'engine', 'energy', 'sureness'],
  'tool-ended': ['full', 'durationMs', 'data', 'dataBlob', 'files'],
  'recipe-progressed': ['data'],
  'route-decided': ['reason'],
  'context-compacted': ['beforeTokens', 'afterTokens'],
  'observation-trimmed': ['beforeTokens', 'afterTokens', 'rest'],
  'answer-trimmed': ['beforeTokens', 'afterTokens'],
  // Texts of Dewpoint's own, whose wording may change.
  'tool-started': ['label', 'files', 'limitMs'],
  'gate-checked': ['text'],
  'notice-added': ['text'],
  'approval-requested': ['reason'],
  'approval-answered': ['reason'],
  'stage-chosen': ['cause', 'reason'],
};

const stamps: readonly string[] = ['v', 'seq', 'at'];

/** The first field, by name, in which an event differs from its record. Null: they are equal. */
export function differingField(made: NewEvent, recorded: SessionEvent): string | null {
  if (made.type !== recorded.type) return 'type';
  const left = new Map<string, unknown>(Object.entries(made));
  const right = new Map<string, unknown>(Object.entries(recorded));
  const ignored = [...stamps, ...notCompared(made)];
  for (const key of [...new Set([...left.keys(), ...right.keys()])].sort()) {
    if (ignored.includes(key)) continue;
    if (canonicalJson([left.get(key)]) !== canonicalJson([right.get(key)])) return key;
  }
  return null;
}

/**
 * A turn that is not done ends with texts of Dewpoint's own, whose wording may change. Which lines were of use follows
 * from its words, and older logs do not say it.
 */
function notCompared(made: NewEvent): readonly string[] {
  if (made.type === 'turn-ended') return made.reason === 'done' ? ['memory'] : ['memory', 'text', 'failure'];
  return measured[made.type] ?? [];
}

/** The event that the engine made, with the stamps and measured fields of the record. */
export function withRecordedFields(made: NewEvent, recorded: SessionEvent): SessionEvent {
  const event: SessionEvent = { ...made, v: recorded.v, seq: recorded.seq, at: recorded.at };
  const copied = notCompared(made);
  for (const field of copied) Reflect.deleteProperty(event, field);
  const taken = Object.entries(recorded).filter(([key]) => copied.includes(key));
  return Object.assign(event, Object.fromEntries(taken));
}

/** The id of the given kind that an event is the first to carry. Null for all others. */
export function idIn(kind: 'turn' | 'call' | 'tool' | 'message' | 'approval', event: SessionEvent): string | null {
  switch (kind) {
    case 'turn':
      return event.type === 'turn-started' ? (event.turnId ?? null) : null;
    case 'call':
      return event.type === 'route-decided' || event.type === 'model-call-started' ? event.callId : null;
    case 'tool':
      return event.type === 'tool-call-requested' || event.type === 'tool-started' ? event.toolCallId : null;
    case 'message':
      return event.type === 'user-message-added' ? event.messageId : null;
    case 'approval':
      if (event.type === 'cap-reached') return event.capId;
      return event.type === 'approval-requested' ? event.approvalId : null;
    default:
      return kind satisfies never;
  }
}
