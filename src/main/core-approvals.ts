import type { Approver } from './agent/services.ts';

/** Approvals that a person answers through a host, by their ids. */
export interface PersonApprover extends Approver {
  /** False: nobody waits for it. */
  readonly answer: (approvalId: string, answer: 'allow' | 'deny') => boolean;
  /** Whether there is anybody to ask. */
  readonly setInteractive: (isInteractive: boolean) => void;
}

export function createPersonApprover(): PersonApprover {
  const waiting = new Map<string, (answer: 'allow' | 'deny') => void>();
  let isInteractive = false;
  return {
    setInteractive: (value) => {
      isInteractive = value;
    },
    ask: async ({ approvalId }, signal) => {
      if (!isInteractive) return 'nobody';
      return new Promise((resolve) => {
        const settle = (answer: 'allow' | 'deny'): void => {
          waiting.delete(approvalId);
          signal.removeEventListener('abort', refuse);
          resolve(answer);
        };
        const refuse = (): void => settle('deny');
        waiting.set(approvalId, settle);
        signal.addEventListener('abort', refuse, { once: true });
        if (signal.aborted) refuse();
      });
    },
    answer: (approvalId, answer) => {
      const settle = waiting.get(approvalId);
      settle?.(answer);
      return settle !== undefined;
    },
  };
}
