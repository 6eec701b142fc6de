import { capScopeSchema, type CapScope } from '@shared/events/approval-events.ts';
import type { Reservations } from './reservations/reservations.ts';
import type { ReservationsCaps, ReservationsKeys } from './reservations/reservations-state.ts';
import { scopes, toNano, toUsd } from './reservations/reservations-state.ts';

/** Caps in US dollars by what they are for; null: none. */
export type Caps = Readonly<Record<CapScope, number | null>>;

export interface BudgetRequest {
  readonly turnId: string;
  readonly step: number;
  /** The most that the call can cost; null: its price is not known. */
  readonly worstUsd: number | null;
  /** The cap of this one task (`--max-usd`); null: that of the settings. */
  readonly taskCapUsd: number | null;
  /** The session whose log has the call, where it is not the one that pays for it. */
  readonly log?: string;
}

/** The cap that a call would pass, with the figures of that moment. */
export interface CapReached {
  readonly scope: CapScope;
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** Put aside for other calls that have not ended. */
  readonly heldUsd: number;
  /** Null: the price is not known, so the cap could not be kept. */
  readonly worstUsd: number | null;
}

/** For a step: the most that one call may cost. For all else: what may still be spent, other calls that run taken off. */
export interface CapLeft {
  readonly scope: CapScope;
  readonly leftUsd: number;
}

export type BudgetAnswer =
  | {
      readonly type: 'granted';
      /** To be told what the call has cost; null: nobody knows, so its worst case counts. Safe to call twice. */
      readonly settle: (costUsd: number | null) => void;
    }
  | { readonly type: 'refused'; readonly cap: CapReached };

/** What is to happen at a cap. */
export type CapDecision =
  | { readonly answer: 'stop' }
  | { readonly answer: 'local' }
  /** The cap that was reached is this much higher from now on, in US dollars. */
  | { readonly answer: 'raise'; readonly usd: number };

/** The money of one session's calls, at the one door to a model. */
export interface Budget {
  /** Puts the worst case of a call aside, or says which cap it would pass. */
  readonly reserve: (request: BudgetRequest) => Promise<BudgetAnswer>;
  /** What the caps leave for a turn as it is now; a cap that is not set is not named. */
  readonly left: (turnId: string, taskCapUsd: number | null) => Promise<readonly CapLeft[]>;
  readonly raise: (turnId: string, scope: CapScope, usd: number) => Promise<void>;
  /** Asks a person; null: there is nobody to ask. Resolves with `stop` on abort. */
  readonly ask: (capId: string, signal: AbortSignal) => Promise<CapDecision | null>;
}

export interface BudgetOptions {
  readonly sessionId: string;
  readonly projectPath: string | null;
  readonly caps: () => Caps;
  /** Opened with the first call that costs money: who works locally has no reservation log. */
  readonly reservations: () => Promise<Reservations>;
  readonly now: () => number;
  readonly ask: Budget['ask'];
}

export function createBudget(options: BudgetOptions): Budget {
  /** What a person added to the cap of a single step, for the turn in which it was asked. */
  const stepRaises = new Map<string, number>();
  const keysOf = (turnId: string): ReservationsKeys => keysAt(options, turnId);
  return {
    reserve: async ({ turnId, step, worstUsd, taskCapUsd, log }) => {
      const settings = options.caps();
      const caps: Caps = { ...settings, task: taskCapUsd ?? settings.task };
      if (worstUsd === null) return unpriced(caps);
      const stepCap = caps.step === null ? null : caps.step + (stepRaises.get(turnId) ?? 0);
      if (stepCap !== null && worstUsd > stepCap) {
        return { type: 'refused', cap: { scope: 'step', limitUsd: stepCap, spentUsd: 0, heldUsd: 0, worstUsd } };
      }
      const reservations = await options.reservations();
      const nano = toNano(worstUsd);
      const asked = { nano, keys: keysOf(turnId), caps: reservationsCaps(caps), step };
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
        cap: { scope, limitUsd, spentUsd: toUsd(spentNano), heldUsd: toUsd(heldNano), worstUsd },
      };
    },
    left: async (turnId, taskCapUsd) => {
      const settings = options.caps();
      const caps: Caps = { ...settings, task: taskCapUsd ?? settings.task };
      const step = caps.step === null ? [] : [{ scope: 'step', leftUsd: caps.step } as const];
      // Without a cap nothing is looked up: who works locally has no reservation log.
      if (scopes.every((scope) => caps[scope] === null)) return step;
      const reservations = await options.reservations();
      const keys = keysOf(turnId);
      const sums = scopes.flatMap((scope) => {
        const cap = caps[scope];
        const key = keys[scope];
        if (cap === null || key === null) return [];
        const { spent, held, raised } = reservations.sums(scope, key);
        return [{ scope, leftUsd: cap + toUsd(raised - spent - held) }];
      });
      return [...step, ...sums];
    },
    raise: async (turnId, scope, usd) => {
      if (scope === 'step') {
        stepRaises.set(turnId, (stepRaises.get(turnId) ?? 0) + usd);
        return;
      }
      const key = keysOf(turnId)[scope];
      if (key !== null) await (await options.reservations()).raise(scope, key, toNano(usd));
    },
    ask: options.ask,
  };
}

/** Under any cap a call without a known price is not made: nobody could say whether the cap holds. */
function unpriced(caps: Caps): BudgetAnswer {
  const scope = capScopeSchema.options.find((name) => caps[name] !== null);
  if (scope === undefined) return { type: 'granted', settle: () => undefined };
  const limitUsd = caps[scope] ?? 0;
  return { type: 'refused', cap: { scope, limitUsd, spentUsd: 0, heldUsd: 0, worstUsd: null } };
}

/** A cap is rounded down, as costs are rounded up. */
function reservationsCaps(caps: Caps): ReservationsCaps {
  return Object.fromEntries(
    scopes.flatMap((scope) => {
      const usd = caps[scope];
      return usd === null ? [] : [[scope, Math.floor(usd * 1e9 + 1e-4)]];
    }),
  );
}

function keysAt({ sessionId, projectPath, now }: BudgetOptions, turnId: string): ReservationsKeys {
  const day = localDay(now());
  return { task: `${sessionId}/${turnId}`, session: sessionId, project: projectPath, day, month: day.slice(0, 7) };
}

/** The day by the calendar of this machine, `2026-11-21`. */
export function localDay(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
