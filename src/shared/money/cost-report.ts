import type { Counterfactual } from './counterfactual.ts';
import type { SplitWorkload, Workload } from './workload.ts';
import type { TaskHere } from './turn-counterfactual.ts';
import { createRecipeRunFold, type EndedRecipeRun } from './recipe-runs.ts';
import { addSplitWorkload, noSplitWorkload, splitWorkload, withRecipeRuns } from './workload.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { Usage } from './token-cost.ts';
import { addUsage, noUsage } from './token-cost.ts';
import { addLost, noteLost, noneLost, type UnusedCall, type LostCalls, withLost } from './lost-calls.ts';

/** What some calls used and cost. Includes failed, cancelled and repeated calls. */
export interface CostTotals {
  readonly calls: number;
  readonly failedCalls: number;
  /** Calls that were stopped, such as a title that a new message interrupts. They did not fail. */
  readonly cancelledCalls: number;
  readonly localCalls: number;
  readonly usage: Usage;
  /** US dollars, for calls with a known cost. */
  readonly costUsd: number;
  /** Calls with an unknown cost. If there are any, `costUsd` is less than what was spent. */
  readonly unpricedCalls: number;
  /** What of it was paid for nothing. */
  readonly lost: LostCalls;
}

export const noCosts: CostTotals = {
  calls: 0,
  failedCalls: 0,
  cancelledCalls: 0,
  localCalls: 0,
  usage: noUsage,
  costUsd: 0,
  unpricedCalls: 0,
  lost: noneLost,
};

/** One session's use of one model on one day. */
export interface CostCell {
  /** By the calendar given to the fold, such as `2026-11-21`. */
  readonly day: string;
  /** `PROVIDER/NAME`; `unknown` when the log has lost the beginning of the call. */
  readonly model: string;
  readonly totals: CostTotals;
  readonly work: SplitWorkload;
  /** Tasks that this machine worked on alone, which ended on this day. Their calls are part of the sums. */
  readonly tasks: readonly TaskHere[];
}

/** Folds the calls of one log. */
export interface CostFold {
  add(event: SessionEvent): void;
  cells(): readonly CostCell[];
}

/** A call counts on the day when it ended. `dayOf` returns the day of a time in milliseconds. */
export function createCostFold(dayOf: (at: number) => string): CostFold {
  const started = new Map<string, { readonly model: string; readonly where: Where }>();
  const cells = new Map<string, CostCell>();
  const recipeRuns = createRecipeRunFold();
  let unused: UnusedCall | null = null;
  let lastKey = '';
  const noteIn = (event: SessionEvent): void => {
    const step = noteLost(unused, event);
    ({ unused } = step);
    const cell = cells.get(lastKey);
    if (step.lost === null || cell === undefined) return;
    const lost = withLost(cell.totals.lost, step.lost);
    cells.set(lastKey, { ...cell, totals: { ...cell.totals, lost } });
  };
  const addRecipeRun = (day: string, ended: EndedRecipeRun): void => {
    const { model } = ended;
    const key = `${day}\n${model}`;
    const cell = cells.get(key) ?? { day, model, totals: noCosts, work: noSplitWorkload, tasks: [] };
    cells.set(key, { ...cell, work: withRecipeRuns(cell.work, [ended]) });
  };
  return {
    add(event) {
      // The session that a history was copied from has paid for it.
      if (event.type === 'history-copied') cells.clear();
      for (const ended of recipeRuns(event)) addRecipeRun(dayOf(event.at), ended);
      if (event.type === 'model-call-started') {
        started.set(event.callId, { model: event.stage.model, where: event.stage.where });
      }
      if (event.type !== 'model-call-ended') return noteIn(event);
      const call = started.get(event.callId);
      started.delete(event.callId);
      const day = dayOf(event.at);
      const model = call?.model ?? 'unknown';
      const key = `${day}\n${model}`;
      const totals = addTotals(cells.get(key)?.totals ?? noCosts, totalsOf(event, call?.where ?? null));
      const before = cells.get(key)?.work ?? noSplitWorkload;
      const work =
        call === undefined ? before : addSplitWorkload(before, splitWorkload([{ where: call.where, end: event }]));
      cells.set(key, { day, model, totals, work, tasks: [] });
      lastKey = key;
      noteIn(event);
    },
    cells: () => [...cells.values()],
  };
}

function totalsOf(event: EventOf<'model-call-ended'>, where: Where | null): CostTotals {
  const isCancelled = event.stopReason === 'cancelled';
  const hasFailed = !isCancelled && (event.error !== null || event.stopReason === 'error');
  return {
    calls: 1,
    failedCalls: hasFailed ? 1 : 0,
    cancelledCalls: isCancelled ? 1 : 0,
    localCalls: where === 'local' ? 1 : 0,
    usage: event.usage,
    costUsd: event.costUsd ?? 0,
    unpricedCalls: event.costUsd === null ? 1 : 0,
    lost: noneLost,
  };
}

export function addTotals(left: CostTotals, right: CostTotals): CostTotals {
  return {
    calls: left.calls + right.calls,
    failedCalls: left.failedCalls + right.failedCalls,
    cancelledCalls: left.cancelledCalls + right.cancelledCalls,
    localCalls: left.localCalls + right.localCalls,
    usage: addUsage(left.usage, right.usage),
    costUsd: left.costUsd + right.costUsd,
    unpricedCalls: left.unpricedCalls + right.unpricedCalls,
    lost: addLost(left.lost, right.lost),
  };
}

export type CostGrouping = 'day' | 'model' | 'project' | 'session';

/** The cells of one session, with its grouping keys. */
export interface SessionCosts {
  readonly sessionId: string;
  /** The session whose limit it spends. Absent: its own. */
  readonly payerId?: string;
  readonly title: string;
  readonly projectPath: string | null;
  readonly cells: readonly CostCell[];
}

interface GroupedCosts extends CostTotals {
  /** The day, model, project folder or session id. */
  readonly key: string;
  /** The same for people, such as a session's title. */
  readonly label: string;
  readonly work: SplitWorkload;
  readonly tasks: readonly TaskHere[];
}

/** Electricity of the local calls that were metered. */
export type EnergyTotals = Pick<
  Workload,
  'wattHours' | 'energyUsd' | 'unmeteredCalls' | 'unpricedEnergyCalls' | 'estimatedEnergyCalls'
>;

export interface CostRow extends Omit<GroupedCosts, 'work' | 'tasks'> {
  /** What the same work would have cost elsewhere. */
  readonly elsewhere: Counterfactual;
  readonly energy: EnergyTotals;
}

export function energyOf({ local }: SplitWorkload): EnergyTotals {
  const { wattHours, energyUsd, unmeteredCalls, unpricedEnergyCalls, estimatedEnergyCalls } = local;
  return { wattHours, energyUsd, unmeteredCalls, unpricedEnergyCalls, estimatedEnergyCalls };
}

/** Sums by day, model, project or session. Most expensive first; days in order. */
export function groupCosts(sessions: readonly SessionCosts[], by: CostGrouping): readonly GroupedCosts[] {
  const rows = new Map<string, GroupedCosts>();
  for (const session of sessions) {
    for (const cell of session.cells) {
      const { key, label } = groupOf(session, cell, by);
      const before = rows.get(key);
      const work = addSplitWorkload(before?.work ?? noSplitWorkload, cell.work);
      const tasks = [...(before?.tasks ?? []), ...cell.tasks];
      rows.set(key, { ...addTotals(before ?? noCosts, cell.totals), key, label, work, tasks });
    }
  }
  const byKey = (left: GroupedCosts, right: GroupedCosts): number => (left.key < right.key ? -1 : 1);
  const byCost = (left: GroupedCosts, right: GroupedCosts): number =>
    right.costUsd - left.costUsd || byKey(left, right);
  return [...rows.values()].sort(by === 'day' ? byKey : byCost);
}

function groupOf(
  { sessionId, title, projectPath }: SessionCosts,
  { day, model }: CostCell,
  by: CostGrouping,
): { readonly key: string; readonly label: string } {
  switch (by) {
    case 'day':
      return { key: day, label: '' };
    case 'model':
      return { key: model, label: '' };
    case 'project':
      return { key: projectPath ?? '', label: projectPath === null ? 'no project' : '' };
    case 'session':
      return { key: sessionId, label: title };
    default:
      return by satisfies never;
  }
}

/** The answer of `costs`. */
export interface CostReport {
  readonly by: CostGrouping;
  readonly since: string | null;
  readonly project: string | null;
  /** The first day with a call, also one before `since`. Absent: there is no call. */
  readonly firstDay?: string;
  readonly rows: readonly CostRow[];
  readonly total: CostTotals;
  /** What the same work would have cost elsewhere. */
  readonly elsewhere: Counterfactual;
  readonly energy: EnergyTotals;
  /** Sessions whose log could not be read. No figure includes them. */
  readonly unreadable: readonly string[];
}
