import type { Approver, UserAnswer } from '../../safety/approvals/approver.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { UserApprover } from '../../safety/approvals/user-approver.ts';
import type { Journal } from '../journal/journal.ts';

/** The two sides of a child's question. */
export interface ChildQuestions {
  readonly parent: { readonly journal: Journal; readonly approver: UserApprover };
  readonly child: { readonly journal: Journal; readonly approver: UserApprover; readonly name: string };
  /** The turn and the call of the parent that the child works for. */
  readonly turnId: string;
  readonly toolCallId: string;
}

/**
 * Shows the questions of a child in its parent, with the child's name, and takes the first answer from either place.
 * Both logs have the question and the answer.
 */
export function createChildApprover({ parent, child, turnId, toolCallId }: ChildQuestions): Approver {
  const childId = child.journal.sessionId;
  return {
    ask: async (question, signal) => {
      if (!parent.approver.isInteractive()) return 'nobody';
      const asked = child.journal.state().approvals.find(({ approvalId }) => approvalId === question.approvalId);
      if (asked === undefined) return 'nobody';
      const approvalId = parent.journal.newId('approval');
      const { toolCallId: _own, reason = question.reason, ...shown } = asked;
      await parent.journal.append({
        type: 'approval-requested',
        turnId,
        ...shown,
        hosts: shown.hosts === undefined ? undefined : [...shown.hosts],
        approvalId,
        toolCallId,
        reason: `${child.name} asks. ${reason}`,
        child: childId,
      });
      const either = childAbort(signal);
      const asks = [
        parent.approver.ask({ ...question, approvalId }, either.signal),
        child.approver.ask(question, either.signal),
      ];
      // Cancels the other question, which then ends with a no.
      const answer = await Promise.race(asks).finally(() => {
        either.abort();
        either.release();
      });
      await parent.journal.append({
        type: 'approval-answered',
        turnId,
        approvalId,
        ...answered(answer),
        child: childId,
      });
      return answer;
    },
    waitedMs: () => parent.approver.waitedMs?.() ?? 0,
  };
}

function scopeIn(answer: UserAnswer): ApprovalScope | null {
  switch (answer) {
    case 'allow-session':
      return 'session';
    case 'allow-project':
      return 'project';
    case 'allow-always':
      return 'always';
    case 'allow':
    case 'deny':
    case 'nobody':
      return null;
  }
}

function answered(answer: UserAnswer) {
  const isAllowed = answer !== 'deny' && answer !== 'nobody';
  const scope = scopeIn(answer);
  return {
    answer: isAllowed ? ('allow' as const) : ('deny' as const),
    by: answer === 'nobody' ? ('nobody' as const) : ('person' as const),
    ...(scope === null ? {} : { scope }),
  };
}
