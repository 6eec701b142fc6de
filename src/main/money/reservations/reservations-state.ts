/** What amounts are summed by. A step has no sum, because its limit is for one call. */
export const scopes = ['task', 'session', 'project', 'day', 'month'] as const;
export type ReservationScope = (typeof scopes)[number];

/** The key of a call in each scope; null if it has none (no project). */
export type ReservationsKeys = Readonly<Record<ReservationScope, string | null>>;

/** Limits by scope, in nanodollars; a scope without a limit is left out. */
export type ReservationsCaps = Readonly<Partial<Record<ReservationScope, number>>>;

/**
 * Lines of the reservation log. Amounts are whole nanodollars (1e-9 US dollars), rounded up: sums of whole numbers are
 * exact up to nine million dollars, and no amount is ever counted too low.
 */
export type ReservationsRecord =
  /**
   * A call asks for its worst case. The lines before decide whether it is granted, so every reader gets the same
   * result.
   */
  | {
      readonly type: 'asked';
      readonly id: string;
      readonly at: number;
      readonly nano: number;
      readonly keys: ReservationsKeys;
      readonly caps: ReservationsCaps;
      /** The step in its session, to find its result after a crash. */
      readonly step: number;
      /** The session whose log has the call; absent: the session of the keys. */
      readonly log?: string | undefined;
    }
  /** The final cost of a granted call; its reservation is released. */
  | { readonly type: 'settled'; readonly id: string; readonly at: number; readonly nano: number }
  /** The user raised one limit by an amount. */
  | {
      readonly type: 'raised';
      readonly at: number;
      readonly scope: ReservationScope;
      readonly key: string;
      readonly nano: number;
    }
  /** The raise of one limit is cancelled, because its limit was set again. */
  | { readonly type: 'unraised'; readonly at: number; readonly scope: ReservationScope; readonly key: string }
  /** All that counts for one project so far counts for another one from here on, because its folder lies elsewhere. */
  | {
      readonly type: 'moved';
      readonly at: number;
      readonly from: string;
      readonly to: string;
      /** Takes back a move: only this much. */
      readonly only?:
        | { readonly spent: number; readonly raised: number; readonly calls: readonly string[] }
        | undefined;
    }
  /** Money spent before this reservation log began, from the session logs or a longer reservation log. */
  | { readonly type: 'spent'; readonly at: number; readonly nano: number; readonly keys: ReservationsKeys };

/** Why a call was not granted: the first limit, from the narrowest, that its worst case would exceed. */
export interface Refusal {
  readonly scope: ReservationScope;
  /** The limit including raises. */
  readonly limitNano: number;
  readonly spentNano: number;
  /** Reserved for other calls that have not ended. */
  readonly heldNano: number;
}

export type ReservationVerdict = { readonly granted: true } | { readonly granted: false; readonly refusal: Refusal };

interface OpenCall {
  readonly nano: number;
  readonly keys: ReservationsKeys;
  readonly step: number;
  readonly log?: string | undefined;
}

/** The state after all lines of a reservation log: what is spent and reserved under every key. */
export class ReservationsState {
  readonly #spent = new Map<string, number>();
  readonly #held = new Map<string, number>();
  readonly #raised = new Map<string, number>();
  readonly #open = new Map<string, OpenCall>();
  #latest = { at: 0, day: '', month: '' };

  /** Adds one line. Returns the verdict for an `asked` line; null for other lines. */
  add(record: ReservationsRecord): ReservationVerdict | null {
    this.#noteTime(record);
    switch (record.type) {
      case 'asked':
        return this.#ask(record);
      case 'settled':
        this.#settle(record);
        return null;
      case 'raised':
        increase(this.#raised, sumKey(record.scope, record.key), record.nano);
        return null;
      case 'unraised':
        this.#raised.delete(sumKey(record.scope, record.key));
        return null;
      case 'moved':
        this.#move(record);
        return null;
      case 'spent':
        this.#each(record.keys, (key) => increase(this.#spent, key, record.nano));
        return null;
      default:
        return record satisfies never;
    }
  }

  /** Nanodollars spent and reserved under a key. */
  sums(
    scope: ReservationScope,
    key: string,
  ): { readonly spent: number; readonly held: number; readonly raised: number } {
    const at = sumKey(scope, key);
    return { spent: this.#spent.get(at) ?? 0, held: this.#held.get(at) ?? 0, raised: this.#raised.get(at) ?? 0 };
  }

  /** The latest time, day and month of any line. A day or month may be later: lines from the session logs have no time. */
  latest(): { readonly at: number; readonly day: string; readonly month: string } {
    return this.#latest;
  }

  /** Calls that were granted and not settled. */
  open(): readonly (OpenCall & { readonly id: string })[] {
    return [...this.#open].map(([id, call]) => ({ id, ...call }));
  }

  /** The projects that have sums. */
  projects(): readonly string[] {
    const all = [...this.#spent.keys(), ...this.#held.keys(), ...this.#raised.keys()].map(splitKey);
    return [...new Set(all.flatMap(({ scope, key }) => (scope === 'project' ? [key] : [])))];
  }

  /** The lines that a shortened reservation log starts with; `isKept` says which sums are still needed. */
  balance(at: number, isKept: (scope: ReservationScope, key: string) => boolean): readonly ReservationsRecord[] {
    const records: ReservationsRecord[] = [];
    for (const [sum, nano] of this.#spent) {
      const { scope, key } = splitKey(sum);
      if (isKept(scope, key)) records.push({ type: 'spent', at, nano, keys: { ...noKeys, [scope]: key } });
    }
    for (const [sum, nano] of this.#raised) {
      const { scope, key } = splitKey(sum);
      if (isKept(scope, key)) records.push({ type: 'raised', at, scope, key, nano });
    }
    return records;
  }

  #noteTime(record: ReservationsRecord): void {
    const { at, day, month } = this.#latest;
    const keys = record.type === 'asked' || record.type === 'spent' ? record.keys : noKeys;
    this.#latest = {
      at: Math.max(at, record.at),
      day: later(day, keys.day),
      month: later(month, keys.month),
    };
  }

  #ask(record: Extract<ReservationsRecord, { type: 'asked' }>): ReservationVerdict {
    const { id, nano, keys, caps, step, log } = record;
    for (const scope of scopes) {
      const key = keys[scope];
      const cap = caps[scope];
      if (key === null || cap === undefined) continue;
      const { spent, held, raised } = this.sums(scope, key);
      const limitNano = cap + raised;
      if (spent + held + nano > limitNano) {
        return { granted: false, refusal: { scope, limitNano, spentNano: spent, heldNano: held } };
      }
    }
    this.#open.set(id, { nano, keys, step, ...(log === undefined ? {} : { log }) });
    this.#each(keys, (key) => increase(this.#held, key, nano));
    return { granted: true };
  }

  /** Ignores a second settlement of the same call, and one of a call that was never granted. */
  #settle({ id, nano }: Extract<ReservationsRecord, { type: 'settled' }>): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    this.#each(call.keys, (key) => {
      increase(this.#held, key, -call.nano);
      increase(this.#spent, key, nano);
    });
  }

  /** Calls that are open are settled under the new key. */
  #move({ from, to, only }: Extract<ReservationsRecord, { type: 'moved' }>): void {
    const [old, next] = [sumKey('project', from), sumKey('project', to)];
    if (old === next) return;
    const take = (sums: Map<string, number>, most = Infinity): void => {
      const nano = Math.min(sums.get(old) ?? 0, most);
      increase(sums, old, -nano);
      increase(sums, next, nano);
    };
    take(this.#spent, only?.spent);
    take(this.#raised, only?.raised);
    for (const [id, call] of this.#open)
      if (call.keys.project === from && only?.calls.includes(id) !== false) {
        take(this.#held, call.nano);
        this.#open.set(id, { ...call, keys: { ...call.keys, project: to } });
      }
  }

  #each(keys: ReservationsKeys, work: (key: string) => void): void {
    for (const scope of scopes) {
      const key = keys[scope];
      if (key !== null) work(sumKey(scope, key));
    }
  }
}

export const noKeys: ReservationsKeys = { task: null, session: null, project: null, day: null, month: null };

/** Converts US dollars to whole nanodollars, rounded up, so that no amount is counted too low. */
export function toNano(usd: number): number {
  // The floating-point error in the last digits must not be rounded up to a whole nanodollar.
  return Math.ceil(usd * 1e9 - 1e-4);
}

export function toUsd(nano: number): number {
  return nano / 1e9;
}

/** Days and months are written so that their order is that of their letters. */
function later(known: string, other: string | null): string {
  return other !== null && other > known ? other : known;
}

function increase(sums: Map<string, number>, key: string, nano: number): void {
  const next = (sums.get(key) ?? 0) + nano;
  if (next === 0) sums.delete(key);
  else sums.set(key, next);
}

function sumKey(scope: ReservationScope, key: string): string {
  return `${scope}\n${key}`;
}

function splitKey(sum: string): { readonly scope: ReservationScope; readonly key: string } {
  const cut = sum.indexOf('\n');
  const scope = scopes.find((name) => name === sum.slice(0, cut)) ?? 'task';
  return { scope, key: sum.slice(cut + 1) };
}
