import type { Approver } from '../../safety/approvals/approver.ts';
import type { Budget } from '../../money/budget.ts';

/** What a session gets from its parent while it works for it. */
export interface ChildPart {
  readonly budget: Budget;
  readonly approver: Approver;
}

/** A session that may work for a parent at one time, and for the user at another. */
interface Working {
  readonly child: ChildPart | null;
  readonly approver: Approver;
}

/** A child asks its parent, and a parent asks the user. */
export function approverOf(session: Working): Approver {
  const current = (): Approver => session.child?.approver ?? session.approver;
  return {
    ask: (question, signal) => current().ask(question, signal),
    // A child has nobody to fill in the form of a tool server, and the server is told so.
    askForm: async (approvalId, form, signal) =>
      (await current().askForm?.(approvalId, form, signal)) ?? { answer: 'nobody' },
    waitedMs: () => current().waitedMs?.() ?? 0,
  };
}

/** A child spends the money of its parent. */
export function budgetOf(session: Pick<Working, 'child'>, own: Budget): Budget {
  const current = (): Budget => session.child?.budget ?? own;
  return {
    reserve: (request) => current().reserve(request),
    left: (turnId, taskCapUsd) => current().left(turnId, taskCapUsd),
    raise: (turnId, scope, usd) => current().raise(turnId, scope, usd),
    ask: (capId, signal) => current().ask(capId, signal),
  };
}
