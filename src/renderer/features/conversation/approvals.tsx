import { useState } from 'react';
import type { ApprovalState } from '@shared/session-state.ts';
import type { CoreClient } from '../../lib/core-client.ts';
import { failureText } from '../../lib/failure-text.ts';
import { Notice } from '../../ui/notice.tsx';

interface ApprovalsProps {
  readonly client: CoreClient;
  readonly sessionId: string;
  readonly approvals: readonly ApprovalState[];
}

/** Questions that wait for a person. An answered one goes when its answer is in the log. */
export function Approvals({ client, sessionId, approvals }: ApprovalsProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const say = async (approvalId: string, answer: 'allow' | 'deny'): Promise<void> => {
    setProblem(null);
    try {
      await client.sessions.approve({ sessionId, approvalId, answer });
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <>
      {approvals.map(({ approvalId, kind, subject }) => (
        <div key={approvalId} className="approval" role="alertdialog" aria-label={`Approval: ${kind}`}>
          <p>
            May it? <strong>{kind}</strong>: <code>{subject}</code>
          </p>
          <button type="button" className="button-primary" onClick={() => void say(approvalId, 'allow')}>
            Allow
          </button>
          <button type="button" onClick={() => void say(approvalId, 'deny')}>
            Deny
          </button>
        </div>
      ))}
      {problem !== null && <Notice kind="error">{problem}</Notice>}
    </>
  );
}
