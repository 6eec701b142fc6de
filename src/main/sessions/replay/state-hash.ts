import type { MoneyState } from '@shared/money/session-money.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** SHA-256 over the canonical JSON of both states. Equal hashes mean that every host shows and counts the same. */
export function stateHash(state: SessionState, money: MoneyState): string {
  return sha256Of(canonicalJson({ state, money }));
}
