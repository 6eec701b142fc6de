import type { Budget, BudgetAnswer, BudgetRequest, CapReached } from '../../money/budget.ts';

/** Who pays for a child, and how much it may spend. */
export interface ChildPurse {
  /** The budget of the parent's session. */
  readonly parent: Budget;
  readonly parentTurnId: string;
  /** The spending limit of the parent's task. Null: the limit of the settings. */
  readonly parentCapUsd: number | null;
  /** The limit of the child itself, for all its runs. Null: as much as its parent may spend. */
  readonly mostUsd: number | null;
  /** The cost of its earlier runs. Null: unknown, so nothing of its limit is left. */
  readonly spentUsd: number | null;
  /** The child's session, whose log has the calls. */
  readonly log: string;
}

/** Dollars are compared as whole nanodollars, as for reservations. */
const nano = 1e9;

/**
 * A child spends its parent's money: every call is reserved under the parent's task and session, so that all children
 * together cannot exceed its limits. At a limit nobody is asked: the child ends, and its parent decides.
 */
export function createChildBudget(purse: ChildPurse): Budget {
  const { parent, parentTurnId, parentCapUsd, mostUsd, log } = purse;
  let spent = Math.ceil((purse.spentUsd ?? mostUsd ?? 0) * nano - 1e-4);
  let held = 0;
  const overOwn = ({ worstUsd, leastUsd = worstUsd }: BudgetRequest): CapReached | null => {
    if (mostUsd === null) return null;
    const worst = worstUsd === null ? null : Math.ceil(worstUsd * nano);
    if (worst !== null && spent + held + worst <= Math.floor(mostUsd * nano + 1e-4)) return null;
    return { scope: 'task', limitUsd: mostUsd, spentUsd: spent / nano, heldUsd: held / nano, worstUsd: leastUsd };
  };
  return {
    reserve: async (request): Promise<BudgetAnswer> => {
      const { worstUsd } = request;
      const own = overOwn(request);
      if (own !== null) return { type: 'refused', cap: own };
      const worst = Math.ceil((worstUsd ?? 0) * nano);
      // Before the wait for the parent's answer, so that two calls at once do not both fit.
      held += worst;
      const answer = await parent
        .reserve({ ...request, turnId: parentTurnId, taskCapUsd: parentCapUsd, log })
        .catch((error: unknown) => {
          held -= worst;
          throw error;
        });
      if (answer.type === 'refused') {
        held -= worst;
        return answer;
      }
      let isSettled = false;
      const settle = (costUsd: number | null): void => {
        answer.settle(costUsd);
        if (isSettled) return;
        isSettled = true;
        held -= worst;
        spent += costUsd === null ? worst : Math.ceil(costUsd * nano);
      };
      return { type: 'granted', settle };
    },
    left: async () => {
      const left = await parent.left(parentTurnId, parentCapUsd);
      return mostUsd === null
        ? left
        : [...left, { scope: 'task', limitUsd: mostUsd, leftUsd: Math.max(0, mostUsd - (spent + held) / nano) }];
    },
    // Nobody is asked at a limit, so no limit is ever raised.
    raise: async () => undefined,
    ask: async () => null,
  };
}
