import { AppError } from '@shared/errors.ts';
import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';
import { formProblem } from '@shared/tools/server-form.ts';
import type { ApproveMode } from '@shared/safety/approval-grants.ts';
import type { CapDecision } from '../../money/budget.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import { createDeadlinePause } from '../../lib/async/deadline-pause.ts';
import type { Approver, FormReply, UserAnswer } from './approver.ts';

/** The user's answer to one question. */
export interface UserReply {
  readonly approvalId: string;
  readonly answer: 'allow' | 'deny';
  /** How long a yes to hosts lasts. */
  readonly scope?: ApprovalScope | undefined;
  /** The values of a form. */
  readonly values?: FormValues | undefined;
}

/** Passes the user's answers from a host to the questions by id: approvals, and spending limits. */
export interface UserApprover extends Approver {
  /**
   * False: no question with this id waits. Throws `bad-input` if the values do not fit the form; the question then
   * stays open.
   */
  readonly answer: (said: UserReply) => boolean;
  /** Null: there is nobody to ask. Resolves with `stop` on abort. */
  readonly askCap: (capId: string, signal: AbortSignal) => Promise<CapDecision | null>;
  /** False: no question with this id waits. */
  readonly answerCap: (capId: string, decision: CapDecision) => boolean;
  /** Whether there is a user to ask, and how approvals are answered for them. */
  readonly setInteractive: (isInteractive: boolean, approve?: ApproveMode) => void;
  readonly isInteractive: () => boolean;
}

export function createUserApprover(): UserApprover {
  const hold = createDeadlinePause();
  const approvals = createPendingQuestions<UserAnswer>('deny');
  const forms = createPendingQuestions<FormReply>({ answer: 'deny' });
  const shown = new Map<string, ServerForm>();
  const caps = createPendingQuestions<CapDecision>({ answer: 'stop' });
  let isInteractive = false;
  let hasUser = false;
  return {
    setInteractive: (value, approve = 'ask') => {
      isInteractive = value && approve === 'ask';
      hasUser = value;
    },
    isInteractive: () => isInteractive,
    ask: async ({ approvalId }, signal) => {
      if (!isInteractive) return 'nobody';
      hold.begin();
      return approvals.ask(approvalId, signal).finally(hold.end);
    },
    askForm: async (approvalId, form, signal) => {
      // Forms that are answered for the user do not come this far.
      if (!hasUser) return { answer: 'nobody' };
      hold.begin();
      shown.set(approvalId, form);
      return forms.ask(approvalId, signal).finally(() => {
        shown.delete(approvalId);
        hold.end();
      });
    },
    waitedMs: hold.heldMs,
    // Always asks: a caller that wants to be asked at a limit says so with the task, even without approvals.
    askCap: (capId, signal) => caps.ask(capId, signal),
    answer: ({ approvalId, answer, scope = 'once', values = {} }) => {
      const form = shown.get(approvalId);
      if (form === undefined)
        return approvals.answer(approvalId, answer === 'deny' || scope === 'once' ? answer : `allow-${scope}`);
      if (answer === 'deny') return forms.answer(approvalId, { answer });
      const problem = formProblem(form, values);
      if (problem !== null) throw new AppError('bad-input', `${problem} Nothing was sent.`);
      return forms.answer(approvalId, { answer, values });
    },
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
