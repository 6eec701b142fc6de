import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { EscalationCause } from '@shared/routing/escalations.ts';
import { escalationOf } from '@shared/routing/escalations.ts';
import type { GateCheck } from '@shared/events/gate-check.ts';
import type { RouteDetail } from '@shared/routing/routing.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';

/** Raised when a field changes its meaning. New fields do not need that. */
const RECORD_VERSION = 1;

/** One decision of the router with its outcome, as training data. Documented in docs/routing-data.md. */
export interface RoutingRecord {
  readonly version: typeof RECORD_VERSION;
  readonly session: string;
  readonly turn: string | null;
  readonly step: number;
  readonly at: number;
  readonly purpose: string;
  readonly strategy: string;
  readonly chosen: EventOf<'route-decided'>['chosen'];
  readonly runnerUp: EventOf<'route-decided'>['runnerUp'];
  readonly code: string;
  readonly decision: Partial<RouteDetail>;
  readonly outcome: RoutingOutcome;
}

export interface RoutingOutcome {
  /** Null: the call has not ended. */
  readonly call: {
    readonly costUsd: number | null;
    readonly seconds: number;
    readonly promptTokens: number;
    readonly outputTokens: number;
    readonly error: string | null;
  } | null;
  /** Tool calls that the answer asked for: how many ran, and how many failed. */
  readonly toolCalls: number;
  readonly toolFailures: number;
  /** The next step of the turn was moved because of a failure. */
  readonly isEscalated: boolean;
  /** The cause of that move, or of a request for advice; null when there was neither. */
  readonly escalation: EscalationCause | null;
  /** Null: the turn has not ended. */
  readonly turn: {
    readonly reason: TurnEndReason;
    readonly checkPassed: boolean | null;
    /** The last verdict of a stronger model on its end; null when none was asked. */
    readonly review: GateCheck['verdict'] | null;
  } | null;
  /** What the user did with the turn's changed files; null when nothing changed. */
  readonly changes: ChangeMark | 'reverted' | 'open' | null;
}

type ChangeMark = 'taken' | 'undone';

interface Open {
  readonly decided: EventOf<'route-decided'>;
  started: EventOf<'model-call-started'> | null;
  ended: EventOf<'model-call-ended'> | null;
  toolCalls: number;
  toolFailures: number;
  isEscalated: boolean;
  escalation: EscalationCause | null;
}

interface TurnOutcome {
  reason: TurnEndReason | null;
  checkPassed: boolean | null;
  review: GateCheck['verdict'] | null;
  /** The content of each file before the turn, as a comparable text. */
  readonly paths: Map<string, string>;
  /** Files that were set back to that by something other than an undo. */
  readonly reverted: Set<string>;
}

/** Every routed step of a log with its outcome, in order. Decisions whose step was never made are left out. */
export function routingRecords(session: string, events: Iterable<SessionEvent>): readonly RoutingRecord[] {
  const steps: Open[] = [];
  const turns = new Map<string, TurnOutcome>();
  const marks = new Map<string, ChangeMark>();
  const callOf = new Map<string, string>();
  for (const event of events) {
    gatherStep(steps, callOf, event);
    gatherTurn(turns, marks, event);
  }
  return steps.flatMap((step) => (step.started === null ? [] : [recordOf(session, step, step.started, turns, marks)]));
}

function gatherStep(steps: Open[], callOf: Map<string, string>, event: SessionEvent): void {
  const find = (callId: string | undefined): Open | undefined =>
    steps.findLast(({ decided }) => decided.callId === callId);
  if (event.type === 'route-decided') {
    const before = steps.at(-1);
    const isFailure = event.layer === 'L4' || event.layer === 'L5';
    const hasMoved = before !== undefined && before.decided.chosen.model !== event.chosen.model;
    if (isFailure && hasMoved && before.decided.turnId === event.turnId) before.isEscalated = true;
    if (before !== undefined && before.decided.turnId === event.turnId) {
      before.escalation = escalationOf(before.decided, event)?.cause ?? null;
    }
    const nothing = { started: null, ended: null, toolCalls: 0, toolFailures: 0 };
    steps.push({ decided: event, ...nothing, isEscalated: false, escalation: null });
  }
  if (event.type === 'model-call-started') {
    const step = find(event.callId);
    if (step !== undefined) step.started = event;
  }
  if (event.type === 'model-call-ended') {
    const step = find(event.callId);
    if (step !== undefined) step.ended = event;
  }
  if (event.type === 'tool-call-requested') callOf.set(event.toolCallId, event.callId);
  if (event.type === 'tool-ended') {
    const step = find(callOf.get(event.toolCallId));
    if (step === undefined) return;
    step.toolCalls += 1;
    step.toolFailures += event.status === 'ok' && (event.exitCode ?? 0) === 0 ? 0 : 1;
  }
}

function gatherTurn(turns: Map<string, TurnOutcome>, marks: Map<string, ChangeMark>, event: SessionEvent): void {
  if (event.type === 'changes-taken') for (const path of event.paths) marks.set(path, 'taken');
  if (event.type === 'file-changed' && event.by === 'undo') marks.set(event.path, 'undone');
  if (event.type === 'file-changed' && event.by !== 'undo') noteRevert(turns, event);
  if (event.turnId === undefined) return;
  const turn = turns.get(event.turnId) ?? {
    reason: null,
    checkPassed: null,
    review: null,
    paths: new Map<string, string>(),
    reverted: new Set<string>(),
  };
  turns.set(event.turnId, turn);
  if (event.type === 'turn-ended') turn.reason = event.reason;
  if (event.type === 'check-ended') turn.checkPassed = event.passed;
  if (event.type === 'gate-checked' && event.callId !== null) turn.review = event.verdict;
  if (event.type === 'file-changed' && event.by !== 'undo') {
    if (!turn.paths.has(event.path)) turn.paths.set(event.path, JSON.stringify(event.before));
    marks.delete(event.path);
  }
}

/** Setting a file back, by a later turn, a command or the user, judges the work like an undo. */
function noteRevert(turns: ReadonlyMap<string, TurnOutcome>, { path, after, turnId }: EventOf<'file-changed'>): void {
  // If the bytes were not kept, nobody knows whether they are the same.
  if (after?.kept === false) return;
  const now = JSON.stringify(after);
  for (const [id, { paths, reverted }] of turns) {
    if (id === turnId) continue;
    if (paths.get(path) === now) reverted.add(path);
    else reverted.delete(path);
  }
}

function recordOf(
  session: string,
  step: Open,
  started: EventOf<'model-call-started'>,
  ...[turns, marks]: readonly [Map<string, TurnOutcome>, Map<string, ChangeMark>]
): RoutingRecord {
  const { decided, ended, toolCalls, toolFailures, isEscalated, escalation } = step;
  const { turnId, at, chosen, runnerUp, reasonCode, layer, votes, options, gain, features, degraded } = decided;
  const turn = turnId === undefined ? undefined : turns.get(turnId);
  const known = { layer, votes, options, gain, features, degraded };
  return {
    version: RECORD_VERSION,
    session,
    turn: turnId ?? null,
    step: started.step,
    at,
    purpose: started.purpose,
    strategy: started.stage.strategy,
    chosen,
    runnerUp,
    code: reasonCode,
    decision: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    outcome: {
      call: ended === null ? null : callOutcome(ended),
      toolCalls,
      toolFailures,
      isEscalated,
      escalation,
      turn: turn?.reason ? { reason: turn.reason, checkPassed: turn.checkPassed, review: turn.review } : null,
      changes: changesOf(turn, marks),
    },
  };
}

function callOutcome({ costUsd, timings, usage, error }: EventOf<'model-call-ended'>): RoutingOutcome['call'] {
  const { freshInput, cacheRead, cacheWrite, output } = usage;
  return {
    costUsd,
    seconds: timings.totalMs / 1000,
    promptTokens: freshInput + cacheRead + cacheWrite,
    outputTokens: output,
    error: error?.code ?? null,
  };
}

/** One reverted file judges the whole turn: the user had to look twice even if they kept the rest. */
function changesOf(turn: TurnOutcome | undefined, marks: ReadonlyMap<string, ChangeMark>): RoutingOutcome['changes'] {
  if (turn === undefined || turn.paths.size === 0) return null;
  const said = [...turn.paths.keys()].map((path) => marks.get(path));
  if (said.includes('undone')) return 'undone';
  if (turn.reverted.size > 0) return 'reverted';
  return said.every((mark) => mark === 'taken') ? 'taken' : 'open';
}
