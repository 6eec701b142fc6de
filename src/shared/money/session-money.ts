import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import { noteLost, noneLost, type UnusedCall, type LostCalls, withLost } from './lost-calls.ts';
import { addUsage, noUsage, type Usage } from './token-cost.ts';

/** What some calls used and cost. `costUsd` is the sum of the known costs; with `unpricedCalls` it is a lower bound. */
interface MoneyTotals {
  readonly calls: number;
  /** Calls that failed or were cancelled. All other figures include them. */
  readonly failedCalls: number;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly unpricedCalls: number;
}

/** Everything a session used, from its log alone. */
export interface MoneyState extends MoneyTotals {
  readonly local: MoneyTotals;
  readonly cloud: MoneyTotals;
  /** By `PROVIDER/NAME`. */
  readonly byModel: Readonly<Record<string, MoneyTotals>>;
  /** What of it was paid for nothing. */
  readonly lost: LostCalls;
  readonly unused: UnusedCall | null;
  /** Calls that have started and not ended. */
  readonly open: Readonly<Record<string, { readonly model: string; readonly where: Where }>>;
  /** What child sessions used. Their calls are in their own logs and not part of the figures above. */
  readonly children: {
    readonly sessions: number;
    readonly usage: Usage;
    readonly costUsd: number;
    readonly unpriced: number;
  };
}

const noTotals: MoneyTotals = { calls: 0, failedCalls: 0, usage: noUsage, costUsd: 0, unpricedCalls: 0 };

export const emptyMoney: MoneyState = {
  ...noTotals,
  local: noTotals,
  cloud: noTotals,
  byModel: {},
  lost: noneLost,
  unused: null,
  open: {},
  children: { sessions: 0, usage: noUsage, costUsd: 0, unpriced: 0 },
};

/** The cost of a session and its children; null when a part is unpriced. */
export function totalCostUsd(money: MoneyState): number | null {
  if (money.unpricedCalls > 0 || money.children.unpriced > 0) return null;
  return money.costUsd + money.children.costUsd;
}

export function reduceMoney(before: MoneyState, event: SessionEvent): MoneyState {
  const { unused, lost } = noteLost(before.unused, event);
  const isSame = unused === before.unused && lost === null;
  const state = isSame
    ? before
    : { ...before, unused, lost: lost === null ? before.lost : withLost(before.lost, lost) };
  if (event.type === 'model-call-started') {
    return {
      ...state,
      open: { ...state.open, [event.callId]: { model: event.stage.model, where: event.stage.where } },
    };
  }
  if (event.type === 'model-call-ended') return endCall(state, event);
  if (event.type === 'child-session-ended') return addChild(state, event);
  if (event.type === 'history-copied') return emptyMoney;
  return state;
}

function endCall(state: MoneyState, event: EventOf<'model-call-ended'>): MoneyState {
  const { [event.callId]: call, ...open } = state.open;
  const total = addCall(state, event);
  // A call whose start was damaged in the log still counts.
  if (!call) return { ...state, ...total, open };
  return {
    ...state,
    ...total,
    local: call.where === 'local' ? addCall(state.local, event) : state.local,
    cloud: call.where === 'cloud' ? addCall(state.cloud, event) : state.cloud,
    byModel: { ...state.byModel, [call.model]: addCall(state.byModel[call.model] ?? noTotals, event) },
    open,
  };
}

function addCall(totals: MoneyTotals, event: EventOf<'model-call-ended'>): MoneyTotals {
  const hasFailed = event.error !== null || event.stopReason === 'error' || event.stopReason === 'cancelled';
  return {
    calls: totals.calls + 1,
    failedCalls: totals.failedCalls + (hasFailed ? 1 : 0),
    usage: addUsage(totals.usage, event.usage),
    costUsd: totals.costUsd + (event.costUsd ?? 0),
    unpricedCalls: totals.unpricedCalls + (event.costUsd === null ? 1 : 0),
  };
}

function addChild(state: MoneyState, event: EventOf<'child-session-ended'>): MoneyState {
  const { children } = state;
  return {
    ...state,
    children: {
      sessions: children.sessions + 1,
      usage: addUsage(children.usage, event.usage),
      costUsd: children.costUsd + (event.costUsd ?? 0),
      unpriced: children.unpriced + (event.costUsd === null ? 1 : 0),
    },
  };
}
