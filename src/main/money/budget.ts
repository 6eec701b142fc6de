import { capScopeSchema, type CapScope } from '@shared/events/approval-events.ts';
import type { Reservations } from './reservations/reservations.ts';
import type { ReservationsCaps, ReservationsKeys } from './reservations/reservations-state.ts';
import { scopes, toNano, toUsd } from './reservations/reservations-state.ts';

/** Spending limits in US dollars by scope; null: none. */
export type Caps = Readonly<Record<CapScope, number | null>>;

export interface BudgetRequest {
  readonly turnId: string;
  readonly step: number;
  /** The highest cost of the call; null: its price is unknown. */
  readonly worstUsd: number | null;
  /** The highest cost of the shortest call that is useful, for the refusal. Absent: the call cannot be shorter. */
  readonly leastUsd?: number | null;
  /** The limit of this task (`--max-usd`); null: the one of the settings. */
  readonly taskCapUsd: number | null;
  /** The session whose log has the call, if another session pays for it. */
  readonly log?: string;
}

/** The limit that a call would exceed, with the amounts at that moment. */
export interface CapReached {
  readonly scope: CapScope;
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** Reserved for other calls that have not ended. */
  readonly heldUsd: number;
  /** The most that the shortest useful call could cost. Null: the price is unknown, so the limit cannot be checked. */
  readonly worstUsd: number | null;
}

/**
 * For a step: the most that one call may cost. Otherwise: what may still be spent, minus reservations of running calls.
 */
export interface CapLeft {
  readonly scope: CapScope;
  /** The limit, with what it was raised by. */
  readonly limitUsd: number;
  readonly leftUsd: number;
}

export type BudgetAnswer =
  | {
      readonly type: 'granted';
      /** Call it with the cost of the call; null: the cost is unknown, so the worst case counts. Safe to call twice. */
      readonly settle: (costUsd: number | null) => void;
    }
  | { readonly type: 'refused'; readonly cap: CapReached };

/** What to do at a spending limit. */
export type CapDecision =
  | { readonly answer: 'stop' }
  | { readonly answer: 'local' }
  /** From now on, the limit is higher by this many US dollars. */
  | { readonly answer: 'raise'; readonly usd: number };

/** The money for one session's calls, as used by `runStep`. */
export interface Budget {
  /** Reserves the worst case of a call, or returns the limit that it would exceed. */
  readonly reserve: (request: BudgetRequest) => Promise<BudgetAnswer>;
  /** What the limits leave for a turn at this moment. Scopes without a limit are left out. */
  readonly left: (turnId: string, taskCapUsd: number | null) => Promise<readonly CapLeft[]>;
  readonly raise: (turnId: string, scope: CapScope, usd: number) => Promise<void>;
  /** Asks the user; null: there is nobody to ask. Resolves with `stop` on abort. */
  readonly ask: (capId: string, signal: AbortSignal) => Promise<CapDecision | null>;
}

export interface BudgetOptions {
  readonly sessionId: string;
  /** The key of the session's project at this moment: it may change while a turn runs. Null: it has none. */
  readonly project: () => string | null;
  readonly caps: () => Caps;
  /** Opened at the first call that costs money. Without such calls there is no reservation log. */
  readonly reservations: () => Promise<Reservations>;
  readonly ask: Budget['ask'];
}

export function createBudget(options: BudgetOptions): Budget {
  /** How much the user raised the step limit, by the turn in which they were asked. */
  const stepRaises = new Map<string, number>();
  return {
    reserve: async ({ turnId, step, worstUsd, leastUsd = worstUsd, taskCapUsd, log }) => {
      const settings = options.caps();
      const caps: Caps = { ...settings, task: taskCapUsd ?? settings.task };
      if (worstUsd === null) return unpriced(caps);
      const stepCap = caps.step === null ? null : caps.step + (stepRaises.get(turnId) ?? 0);
      if (stepCap !== null && worstUsd > stepCap) {
        return {
          type: 'refused',
          cap: { scope: 'step', limitUsd: stepCap, spentUsd: 0, heldUsd: 0, worstUsd: leastUsd },
        };
      }
      const reservations = await options.reservations();
      const nano = toNano(worstUsd);
      const asked = { nano, keys: keysAt(options, turnId, reservations), caps: reservationsCaps(caps), step };
      const grant = await reservations.reserve(log === undefined ? asked : { ...asked, log });
      if (grant.granted) {
        let isSettled = false;
        const settle = (costUsd: number | null): void => {
          if (!isSettled) reservations.settle(grant.id, costUsd === null ? nano : toNano(costUsd));
          isSettled = true;
        };
        return { type: 'granted', settle };
      }
      const { scope, limitNano, spentNano, heldNano } = grant.refusal;
      const limitUsd = toUsd(limitNano);
      return {
        type: 'refused',
        cap: { scope, limitUsd, spentUsd: toUsd(spentNano), heldUsd: toUsd(heldNano), worstUsd: leastUsd },
      };
    },
    left: async (turnId, taskCapUsd) => {
      const settings = options.caps();
      const caps: Caps = { ...settings, task: taskCapUsd ?? settings.task };
      const raised = stepRaises.get(turnId) ?? 0;
      const most = caps.step === null ? null : caps.step + raised;
      const step = most === null ? [] : [{ scope: 'step', limitUsd: most, leftUsd: most } as const];
      // Without a limit, nothing is looked up: with local models only, there is no reservation log.
      if (scopes.every((scope) => caps[scope] === null)) return step;
      const reservations = await options.reservations();
      const keys = keysAt(options, turnId, reservations);
      const sums = scopes.flatMap((scope) => {
        const cap = caps[scope];
        const key = keys[scope];
        if (cap === null || key === null) return [];
        const sums = reservations.sums(scope, key);
        const limitUsd = cap + toUsd(sums.raised);
        return [{ scope, limitUsd, leftUsd: limitUsd - toUsd(sums.spent + sums.held) }];
      });
      return [...step, ...sums];
    },
    raise: async (turnId, scope, usd) => {
      if (scope === 'step') {
        stepRaises.set(turnId, (stepRaises.get(turnId) ?? 0) + usd);
        return;
      }
      const reservations = await options.reservations();
      const key = keysAt(options, turnId, reservations)[scope];
      if (key !== null) await reservations.raise(scope, key, toNano(usd));
    },
    ask: options.ask,
  };
}

/** With any limit set, a call without a known price is not made, because the limit could not be checked. */
function unpriced(caps: Caps): BudgetAnswer {
  const scope = capScopeSchema.options.find((name) => caps[name] !== null);
  if (scope === undefined) return { type: 'granted', settle: () => undefined };
  const limitUsd = caps[scope] ?? 0;
  return { type: 'refused', cap: { scope, limitUsd, spentUsd: 0, heldUsd: 0, worstUsd: null } };
}

/** Limits are rounded down, as costs are rounded up. */
function reservationsCaps(caps: Caps): ReservationsCaps {
  return Object.fromEntries(
    scopes.flatMap((scope) => {
      const usd = caps[scope];
      return usd === null ? [] : [[scope, Math.floor(usd * 1e9 + 1e-4)]];
    }),
  );
}

function keysAt({ sessionId, project }: BudgetOptions, turnId: string, reservations: Reservations): ReservationsKeys {
  return { task: `${sessionId}/${turnId}`, session: sessionId, project: project(), ...reservations.today() };
}
