/** What money is counted under. A step has no sum: its cap is for one call. */
export const scopes = ['task', 'session', 'project', 'day', 'month'] as const;
export type ReservationScope = (typeof scopes)[number];

/** Where one call counts, by scope; null where there is nothing to count under (no project). */
export type ReservationsKeys = Readonly<Record<ReservationScope, string | null>>;

/** Limits by scope in nanodollars; a scope without one is not capped. */
export type ReservationsCaps = Readonly<Partial<Record<ReservationScope, number>>>;

/**
 * Lines of the reservation log. Amounts are whole nanodollars (1e-9 US dollars), rounded up where they are made: sums of whole
 * numbers are exact up to nine million dollars, and nothing is ever counted for less than it is.
 */
export type ReservationsRecord =
  /** A call wants its worst case. Whether it gets it follows from the lines before, so every reader says the same. */
  | {
      readonly type: 'asked';
      readonly id: string;
      readonly at: number;
      readonly nano: number;
      readonly keys: ReservationsKeys;
      readonly caps: ReservationsCaps;
      /** The step of the session that asks: where to look after a crash for what became of it. */
      readonly step: number;
      /** The session whose log has it; absent: the one of the keys. */
      readonly log?: string | undefined;
    }
  /** What a call that was granted has cost in the end; what was held for it is free again. */
  | { readonly type: 'settled'; readonly id: string; readonly at: number; readonly nano: number }
  /** A person let one sum go higher by an amount. */
  | {
      readonly type: 'raised';
      readonly at: number;
      readonly scope: ReservationScope;
      readonly key: string;
      readonly nano: number;
    }
  /** What one sum was raised by is gone: its cap was set anew. */
  | { readonly type: 'unraised'; readonly at: number; readonly scope: ReservationScope; readonly key: string }
  /** Money spent before this reservation log began, from the logs or from a longer reservation log. */
  | { readonly type: 'spent'; readonly at: number; readonly nano: number; readonly keys: ReservationsKeys };

/** Why a call was not granted: the first cap, from the narrowest, that its worst case would pass. */
export interface Refusal {
  readonly scope: ReservationScope;
  /** The cap with what it was raised by. */
  readonly limitNano: number;
  readonly spentNano: number;
  /** Held for other calls that have not ended. */
  readonly heldNano: number;
}

export type ReservationVerdict = { readonly granted: true } | { readonly granted: false; readonly refusal: Refusal };

interface OpenCall {
  readonly nano: number;
  readonly keys: ReservationsKeys;
  readonly step: number;
  readonly log?: string | undefined;
}

/** The fold of a reservation log's lines: what was spent and what is held under every key. */
export class ReservationsState {
  readonly #spent = new Map<string, number>();
  readonly #held = new Map<string, number>();
  readonly #raised = new Map<string, number>();
  readonly #open = new Map<string, OpenCall>();

  /** Folds one line in. The verdict of an `asked`, null for other lines. */
  add(record: ReservationsRecord): ReservationVerdict | null {
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
      case 'spent':
        this.#each(record.keys, (key) => increase(this.#spent, key, record.nano));
        return null;
      default:
        return record satisfies never;
    }
  }

  /** Nanodollars spent and held under a key. */
  sums(
    scope: ReservationScope,
    key: string,
  ): { readonly spent: number; readonly held: number; readonly raised: number } {
    const at = sumKey(scope, key);
    return { spent: this.#spent.get(at) ?? 0, held: this.#held.get(at) ?? 0, raised: this.#raised.get(at) ?? 0 };
  }

  /** Calls that were granted and have not been settled. */
  open(): readonly (OpenCall & { readonly id: string })[] {
    return [...this.#open].map(([id, call]) => ({ id, ...call }));
  }

  /** All that a shorter reservation log has to begin with; `isKept` says which sums are still needed. */
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

  /** A second settling of the same call, or one of a call that was never granted, says nothing new. */
  #settle({ id, nano }: Extract<ReservationsRecord, { type: 'settled' }>): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    this.#each(call.keys, (key) => {
      increase(this.#held, key, -call.nano);
      increase(this.#spent, key, nano);
    });
  }

  #each(keys: ReservationsKeys, work: (key: string) => void): void {
    for (const scope of scopes) {
      const key = keys[scope];
      if (key !== null) work(sumKey(scope, key));
    }
  }
}

export const noKeys: ReservationsKeys = { task: null, session: null, project: null, day: null, month: null };

/** US dollars as whole nanodollars, up: money is never counted for less than it is. */
export function toNano(usd: number): number {
  // The product of a float carries an error in its last digits, which must not become a whole nanodollar.
  return Math.ceil(usd * 1e9 - 1e-4);
}

export function toUsd(nano: number): number {
  return nano / 1e9;
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
