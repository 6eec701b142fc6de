import type { EventOf, SessionEvent } from '@shared/events/events.ts';

/** `sentBack`: the model answered, and nothing could be done with the answer, so it was asked again. */
export const lostKinds = ['failed', 'cancelled', 'sentBack'] as const;
type LostKind = (typeof lostKinds)[number];

interface Lost {
  readonly calls: number;
  /** US dollars, for calls with a known cost. */
  readonly costUsd: number;
  /** Calls with an unknown cost. */
  readonly unpricedCalls: number;
}

/** Calls that were of no use, and what was paid for them. All other sums include them. */
export type LostCalls = Readonly<Record<LostKind, Lost>>;

const nothing: Lost = { calls: 0, costUsd: 0, unpricedCalls: 0 };
export const noneLost: LostCalls = { failed: nothing, cancelled: nothing, sentBack: nothing };

/** The last call that ended with an answer of which nothing was used yet. */
export interface UnusedCall {
  readonly callId: string;
  readonly costUsd: number | null;
  readonly hasText: boolean;
}

interface LostStep {
  readonly unused: UnusedCall | null;
  /** The call that the event shows to be lost. */
  readonly lost: { readonly kind: LostKind; readonly callId: string; readonly costUsd: number | null } | null;
}

/** Notices that tell a model that its answer was of no use. */
const sentBackCodes: readonly string[] = ['call-not-understood', 'empty-answer', 'no-call', 'call-cut'];

/** What one more event says about calls that were paid for nothing. Every sum of them goes by this. */
export function noteLost(unused: UnusedCall | null, event: SessionEvent): LostStep {
  if (event.type === 'model-call-ended') return ofEnd(event);
  // What it asked for was done.
  if (event.type === 'tool-started') return { unused: null, lost: null };
  if (event.type !== 'notice-added' || unused === null) return { unused, lost: null };
  // What came of a text that was cut is kept, and the model goes on with it.
  const isSentBack = sentBackCodes.includes(event.code) || (event.code === 'answer-cut' && !unused.hasText);
  if (!isSentBack) return { unused, lost: null };
  return { unused: null, lost: { kind: 'sentBack', callId: unused.callId, costUsd: unused.costUsd } };
}

function ofEnd(event: EventOf<'model-call-ended'>): LostStep {
  const { callId, costUsd, stopReason, error, parts } = event;
  const kind = stopReason === 'cancelled' ? 'cancelled' : error !== null || stopReason === 'error' ? 'failed' : null;
  if (kind !== null) return { unused: null, lost: { kind, callId, costUsd } };
  const hasText = parts.some((part) => part.type === 'text' && part.text.trim() !== '');
  return { unused: { callId, costUsd, hasText }, lost: null };
}

export function withLost(lost: LostCalls, { kind, costUsd }: NonNullable<LostStep['lost']>): LostCalls {
  const one = { calls: 1, costUsd: costUsd ?? 0, unpricedCalls: costUsd === null ? 1 : 0 };
  return { ...lost, [kind]: plus(lost[kind], one) };
}

export function addLost(left: LostCalls, right: LostCalls): LostCalls {
  return {
    failed: plus(left.failed, right.failed),
    cancelled: plus(left.cancelled, right.cancelled),
    sentBack: plus(left.sentBack, right.sentBack),
  };
}

const plus = (left: Lost, right: Lost): Lost => ({
  calls: left.calls + right.calls,
  costUsd: left.costUsd + right.costUsd,
  unpricedCalls: left.unpricedCalls + right.unpricedCalls,
});

/** All of it together. */
export function lostSum(lost: LostCalls): Lost {
  return lostKinds.reduce((sum, kind) => plus(sum, lost[kind]), nothing);
}

/** Null: the price of one is unknown. */
export function lostUsd({ costUsd, unpricedCalls }: Lost): number | null {
  return unpricedCalls > 0 ? null : costUsd;
}
