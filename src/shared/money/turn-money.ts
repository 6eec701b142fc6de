import type { CapScope } from '@shared/events/approval-events.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { Usage } from './token-cost.ts';
import { addUsage, noUsage } from './token-cost.ts';

/** What a turn used, including its child sessions, and by how much the user raised its limits. */
export interface TurnMoney {
  /** US dollars of its own calls with a known cost. */
  readonly costUsd: number;
  readonly unpriced: number;
  readonly children: {
    readonly runs: number;
    readonly usage: Usage;
    readonly costUsd: number;
    readonly unpriced: number;
  };
  readonly raisedUsd: Readonly<Partial<Record<CapScope, number>>>;
}

export const noTurnMoney: TurnMoney = {
  costUsd: 0,
  unpriced: 0,
  children: { runs: 0, usage: noUsage, costUsd: 0, unpriced: 0 },
  raisedUsd: {},
};

/** Adds a call, or a run of a child. */
export function addToTurn(
  money: TurnMoney = noTurnMoney,
  event: EventOf<'model-call-ended' | 'child-session-ended'>,
): TurnMoney {
  const usd = event.costUsd ?? 0;
  const unpriced = event.costUsd === null ? 1 : 0;
  if (event.type === 'model-call-ended') {
    return { ...money, costUsd: money.costUsd + usd, unpriced: money.unpriced + unpriced };
  }
  const { runs, usage, ...sums } = money.children;
  const children = {
    runs: runs + 1,
    usage: addUsage(usage, event.usage),
    costUsd: sums.costUsd + usd,
    unpriced: sums.unpriced + unpriced,
  };
  return { ...money, children };
}

export function raiseInTurn(money: TurnMoney = noTurnMoney, scope: CapScope, usd: number): TurnMoney {
  return { ...money, raisedUsd: { ...money.raisedUsd, [scope]: (money.raisedUsd[scope] ?? 0) + usd } };
}

/** What a turn and its child sessions cost; null: a part has no known price. */
export function turnCostUsd({ money = noTurnMoney }: { readonly money?: TurnMoney }): number | null {
  const { costUsd, unpriced, children } = money;
  return unpriced + children.unpriced > 0 ? null : costUsd + children.costUsd;
}

/** What all turns of a session cost, as far as prices are known. */
export function knownUsdOf({ turns }: { readonly turns: readonly { readonly money?: TurnMoney }[] }): number {
  return turns.reduce((sum, { money = noTurnMoney }) => sum + money.costUsd + money.children.costUsd, 0);
}
