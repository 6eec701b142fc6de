import type { Budget, BudgetAnswer, CapReached } from '../../money/budget.ts';

/** Who pays for a child, and what it may spend of that. */
export interface ChildPurse {
  /** The budget of the parent's session. */
  readonly parent: Budget;
  readonly parentTurnId: string;
  /** The cap of the parent's task; null: that of the settings. */
  readonly parentCapUsd: number | null;
  /** The child's own part, of all its runs; null: as much as its parent may. */
  readonly mostUsd: number | null;
  /** What its runs before have cost; null: nobody knows, so nothing of its part is left. */
  readonly spentUsd: number | null;
  /** The child's session: its log has the calls. */
  readonly log: string;
}

/** Dollars are compared as whole nanodollars, as the reservations do. */
const nano = 1e9;

/**
 * The money of a child is that of its parent: every call is put aside under the parent's task and session, so that all
 * its children together cannot pass its limits. At a limit nobody is asked: the child ends, and its parent decides.
 */
export function createChildBudget(purse: ChildPurse): Budget {
  const { parent, parentTurnId, parentCapUsd, mostUsd, log } = purse;
  let spent = Math.ceil((purse.spentUsd ?? mostUsd ?? 0) * nano - 1e-4);
  let held = 0;
  const overOwn = (worstUsd: number | null): CapReached | null => {
    if (mostUsd === null) return null;
    const worst = worstUsd === null ? null : Math.ceil(worstUsd * nano);
    if (worst !== null && spent + held + worst <= Math.floor(mostUsd * nano + 1e-4)) return null;
    return { scope: 'task', limitUsd: mostUsd, spentUsd: spent / nano, heldUsd: held / nano, worstUsd };
  };
  return {
    reserve: async ({ step, worstUsd }): Promise<BudgetAnswer> => {
      const own = overOwn(worstUsd);
      if (own !== null) return { type: 'refused', cap: own };
      const worst = Math.ceil((worstUsd ?? 0) * nano);
      // Before the wait for the parent's answer: two calls at once must not both fit.
      held += worst;
      const answer = await parent
        .reserve({ turnId: parentTurnId, step, worstUsd, taskCapUsd: parentCapUsd, log })
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
        : [...left, { scope: 'task', leftUsd: Math.max(0, mostUsd - (spent + held) / nano) }];
    },
    // Nobody is asked for it, so nothing is raised.
    raise: async () => undefined,
    ask: async () => null,
  };
}
