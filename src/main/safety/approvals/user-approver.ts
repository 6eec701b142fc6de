import type { CapDecision } from '../../money/budget.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import { createDeadlinePause } from '../../lib/async/deadline-pause.ts';
import type { Approver, UserAnswer } from '../../agent/turn/agent-dependencies.ts';

/** What a person answers through a host, by the ids of the questions: approvals, and what to do at a cap. */
export interface UserApprover extends Approver {
  /** False: nobody waits for it. */
  readonly answer: (approvalId: string, answer: 'allow' | 'deny', scope?: ApprovalScope) => boolean;
  /** Null: there is nobody to ask. `stop` on abort. */
  readonly askCap: (capId: string, signal: AbortSignal) => Promise<CapDecision | null>;
  /** False: nobody waits for it. */
  readonly answerCap: (capId: string, decision: CapDecision) => boolean;
  /** Whether there is anybody to ask. */
  readonly setInteractive: (isInteractive: boolean) => void;
  readonly isInteractive: () => boolean;
}

export function createUserApprover(): UserApprover {
  const hold = createDeadlinePause();
  const approvals = createPendingQuestions<UserAnswer>('deny');
  const caps = createPendingQuestions<CapDecision>({ answer: 'stop' });
  let isInteractive = false;
  return {
    setInteractive: (value) => {
      isInteractive = value;
    },
    isInteractive: () => isInteractive,
    ask: async ({ approvalId }, signal) => {
      if (!isInteractive) return 'nobody';
      hold.begin();
      return approvals.ask(approvalId, signal).finally(hold.end);
    },
    waitedMs: hold.heldMs,
    // Who asks to be asked at a cap says so with the task itself: a conversation without approvals is one, too.
    askCap: (capId, signal) => caps.ask(capId, signal),
    answer: (approvalId, answer, scope = 'once') =>
      approvals.answer(approvalId, answer === 'deny' || scope === 'once' ? answer : `allow-${scope}`),
    answerCap: caps.answer,
  };
}

interface PendingQuestions<Answer> {
  readonly ask: (id: string, signal: AbortSignal) => Promise<Answer>;
  readonly answer: (id: string, answer: Answer) => boolean;
}

/** Questions that wait for an answer; an abort answers with `refusal`. */
function createPendingQuestions<Answer>(refusal: Answer): PendingQuestions<Answer> {
  const waiting = new Map<string, (answer: Answer) => void>();
  return {
    ask: (id, signal) =>
      new Promise((resolve) => {
        const settle = (answer: Answer): void => {
          waiting.delete(id);
          signal.removeEventListener('abort', refuse);
          resolve(answer);
        };
        const refuse = (): void => settle(refusal);
        waiting.set(id, settle);
        signal.addEventListener('abort', refuse, { once: true });
        if (signal.aborted) refuse();
      }),
    answer: (id, answer) => {
      const settle = waiting.get(id);
      settle?.(answer);
      return settle !== undefined;
    },
  };
}
