import type { EventOf, SessionEvent } from '@shared/events/events.ts';

/** The failure that moved a step to another model. */
export type EscalationCause = 'no-progress' | 'format' | 'checks' | 'gate' | 'transport' | 'window';

/** The causes in the user's words. */
export const escalationTexts = {
  'no-progress': 'It made no progress: refused edits, the same call or failure again, or steps without a change.',
  format: 'Its answers could not be used: not in the form of a call, cut off, or repeating themselves.',
  checks: 'A check failed after its work.',
  gate: 'It said that it was done, but a check disagreed.',
  transport: 'It could not be reached, or did not answer.',
  window: 'The conversation no longer fit its context.',
} as const satisfies Readonly<Record<EscalationCause, string>>;

export interface Escalation {
  /** The call that was made elsewhere, or with advice. */
  readonly callId: string;
  readonly step: number | null;
  readonly turnId: string | null;
  /** `advice`: the model stayed, and another one was asked. `fallback`: from the cloud to this machine. */
  readonly kind: 'takeover' | 'advice' | 'fallback';
  readonly cause: EscalationCause;
  readonly from: string;
  readonly to: string;
  /** What went wrong, in the words of the decision. */
  readonly text: string;
}

type Decided = EventOf<'route-decided'>;
type Cause = EventOf<'stage-chosen'>['cause'];

/** Every step of a log that a failure moved, in order. Moves for a benefit, or back, do not count. */
export function escalationsIn(events: Iterable<SessionEvent>): readonly Escalation[] {
  const found: { escalation: Escalation; callId: string }[] = [];
  const steps = new Map<string, number>();
  let before: Decided | null = null;
  let stage: Cause = null;
  for (const event of events) {
    if (event.type === 'model-call-started') steps.set(event.callId, event.step);
    if (event.type === 'stage-chosen') stage = event.cause;
    if (event.type !== 'route-decided') continue;
    const escalation = before === null || before.turnId !== event.turnId ? null : escalationOf(before, event, stage);
    if (escalation !== null) found.push({ escalation, callId: event.callId });
    before = event;
    stage = null;
  }
  return found.map(({ escalation, callId }) => ({ ...escalation, step: steps.get(callId) ?? null }));
}

/**
 * Null when no failure moved the step. `stage`: why the cascade escalated between the two decisions, if the log says.
 */
export function escalationOf(before: Decided, event: Decided, stage: Cause = null): Escalation | null {
  const { callId, turnId = null, chosen, reason: text, reasonCode, layer } = event;
  const hasMoved = before.chosen.model !== chosen.model;
  const isAdvice = reasonCode === 'advice';
  // Older logs, and recipes that give up, escalate a cascade without naming a layer.
  const isFailure = layer === 'L4' || layer === 'L5' || (layer === undefined && reasonCode === 'cascade');
  if (!isAdvice && !(isFailure && hasMoved)) return null;
  const kind = isAdvice ? 'advice' : chosen.where === 'local' ? 'fallback' : 'takeover';
  const to = isAdvice ? (event.runnerUp?.model ?? chosen.model) : chosen.model;
  return {
    callId,
    step: null,
    turnId,
    kind,
    cause: stageCause(stage) ?? causeOf(before, event),
    from: before.chosen.model,
    to,
    text,
  };
}

/** A spending limit or a fence is no failure of the model, and is reported elsewhere. */
function stageCause(stage: Cause): EscalationCause | null {
  return stage === 'cap' || stage === 'fence' ? null : stage;
}

function causeOf(before: Decided, event: Decided): EscalationCause {
  switch (event.reasonCode) {
    case 'format':
    case 'checks':
    case 'transport':
    case 'window':
    case 'no-progress':
      return event.reasonCode;
    default:
  }
  if (event.layer === 'L4') return 'gate';
  const grown = (name: string): boolean => (event.features?.[name] ?? 0) > (before.features?.[name] ?? 0);
  if (grown('formatFailures')) return 'format';
  return grown('failedChecks') || grown('testsRed') ? 'checks' : 'no-progress';
}

export interface CauseCount {
  readonly cause: EscalationCause;
  readonly count: number;
}

/** Counts of each cause, most frequent first, without zeros. */
export function countCauses(escalations: readonly Pick<Escalation, 'cause'>[]): readonly CauseCount[] {
  const counts = new Map<EscalationCause, number>();
  for (const { cause } of escalations) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return [...counts].map(([cause, count]) => ({ cause, count })).sort((left, right) => right.count - left.count);
}
