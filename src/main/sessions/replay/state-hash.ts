import type { MoneyState } from '@shared/money/session-money.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** SHA-256 over the canonical JSON of both states: equal hashes mean that every host shows and counts the same. */
export function stateHash(state: SessionState, money: MoneyState): string {
  return sha256Of(canonicalJson({ state, money }));
}

/** JSON with the keys of every object sorted, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(
      Object.entries(item).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
    );
  });
}
