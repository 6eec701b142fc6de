import type { CapScope } from '@shared/events/approval-events.ts';
import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import { noTurnMoney } from './turn-money.ts';

/** The spending limit to show, with what is spent under it. */
export interface SpendingLimit {
  readonly scope: CapScope;
  readonly limitUsd: number;
  readonly spentUsd: number;
}

/**
 * The spending limit of the last turn that is closest to being reached, the same for everyone who shows one: the one
 * that is asked about, otherwise the tightest of all that held when the turn began, with what was added since. A limit
 * for one step has no sum. Null: there is no limit.
 */
export function spendingLimitOf({ turns, cap }: Pick<SessionState, 'turns' | 'cap'>): SpendingLimit | null {
  if (cap !== null) {
    const { scope, limitUsd, spentUsd } = cap;
    return { scope, limitUsd, spentUsd };
  }
  const turn = turns.at(-1);
  if (turn === undefined) return null;
  const { costUsd, children, raisedUsd } = turn.money ?? noTurnMoney;
  const spent = costUsd + children.costUsd;
  const limits = capsAtStart(turn).map(({ scope, limitUsd, leftUsd }) => {
    const limit = limitUsd + (raisedUsd[scope] ?? 0);
    return { scope, limitUsd: limit, spentUsd: limitUsd - leftUsd + spent };
  });
  const left = (one: SpendingLimit): number => one.limitUsd - one.spentUsd;
  return limits.reduce<SpendingLimit | null>(
    (best, one) => (best === null || left(one) < left(best) ? one : best),
    null,
  );
}

function capsAtStart({ limits: { caps, maxUsd } }: TurnState): NonNullable<TurnState['limits']['caps']> {
  if (caps !== undefined) return caps.filter(({ scope }) => scope !== 'step');
  return maxUsd === null ? [] : [{ scope: 'task', limitUsd: maxUsd, leftUsd: maxUsd }];
}
