import { createHash } from 'node:crypto';
import type { ApprovalKind } from '../policy/approvals.ts';
import { standingAnswer } from '../policy/approvals.ts';
import { abortable } from '../lib/abort.ts';
import type { Turn } from './turn.ts';

/** `nobody`: there was no one to ask; whoever asks decides whether that ends the turn. */
export type ApprovalAnswer = 'allow' | 'deny' | 'nobody';

/** Asks for one thing, with the question and the answer in the log. Throws `cancelled` when the turn is aborted meanwhile. */
export async function askApproval(
  turn: Turn,
  question: {
    readonly kind: ApprovalKind;
    readonly subject: string;
    readonly reason: string;
    readonly toolCallId: string;
  },
): Promise<ApprovalAnswer> {
  const approvalId = turn.services.journal.newId('approval');
  await turn.log.append({
    type: 'approval-requested',
    approvalId,
    toolCallId: question.toolCallId,
    kind: question.kind,
    subject: question.subject,
    sha256: createHash('sha256').update(`${question.kind}\n${question.subject}`).digest('hex'),
  });
  const standing = standingAnswer(turn.options.approve, question.kind);
  const answer = standing === 'ask' ? await askPerson(turn, approvalId, question) : standing;
  await turn.log.close({
    type: 'approval-answered',
    approvalId,
    answer: answer === 'allow' ? 'allow' : 'deny',
    by: standing !== 'ask' ? 'policy' : answer === 'nobody' ? 'nobody' : 'person',
  });
  turn.log.check();
  return answer;
}

async function askPerson(
  turn: Turn,
  approvalId: string,
  question: { readonly kind: ApprovalKind; readonly subject: string; readonly reason: string },
): Promise<ApprovalAnswer> {
  const { kind, subject, reason } = question;
  try {
    return await abortable(turn.services.approver.ask({ approvalId, kind, subject, reason }, turn.signal), turn.signal);
  } catch (error) {
    // Only an abort ends the wait: what else goes wrong while asking means that nobody could be asked.
    if (turn.signal.aborted) return 'deny';
    void error;
    return 'nobody';
  }
}
