import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ProgramReview } from '@shared/events/approval-events.ts';
import type { ApprovalKind } from '@shared/safety/approval-grants.ts';
import { maxRefusals, standingAnswer } from '../../safety/approvals/approval-policy.ts';
import { abortable } from '../../lib/async/abort.ts';
import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { AgentDependencies, UserAnswer } from '../turn/agent-dependencies.ts';
import type { AskingTurn } from '../turn/turn.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** `nobody`: there was no one to ask; whoever asks decides whether that ends the turn. */
export type ApprovalAnswer = 'allow' | 'deny' | 'nobody';

/** Who asks. */
type Asker = Omit<AskingTurn, 'dependencies'> & {
  readonly dependencies: Pick<AgentDependencies, 'journal' | 'approver'>;
};

/** What is asked about. `toolCallId` is the call that asks. */
export interface ApprovalSubject {
  readonly kind: ApprovalKind;
  readonly subject: string;
  readonly reason: string;
  readonly toolCallId: string;
  /** What a yes would be said to, where `subject` only names it: its whole text, the hash of its bytes, what is new in it. */
  readonly shown?: { readonly sha256: string; readonly text: string; readonly diff: string | null };
  /** Of what a tool server asks: its form, or the address that it wants opened. */
  readonly form?: ServerForm;
  readonly url?: string;
  readonly review?: ProgramReview;
  /** Images of it, which the person sees. */
  readonly pictures?: readonly Attachment[];
  /** Answers in place of the person, when what is asked about has settled itself. Never rejects. */
  readonly settled?: Promise<'allow' | 'deny'>;
}

/**
 * Asks for one thing, with the question and the answer in the log. Who has said no three times to the like of it is not
 * asked again in this turn. Throws `cancelled` when the turn is aborted meanwhile.
 */
export async function askApproval(turn: Asker, question: ApprovalSubject): Promise<ApprovalAnswer> {
  const { answer } = await askAs(turn, question, (approvalId) => askUser(turn, approvalId, question));
  return answer;
}

/** The same for a form, whose answer is what a person filled in; never more than was shown. Throws `cancelled`. */
export async function askForm(turn: Asker, question: ApprovalSubject & { readonly form: ServerForm }): Promise<Said> {
  const { approver } = turn.dependencies;
  return askAs(turn, question, async (approvalId) => {
    if (approver.askForm === undefined) return { answer: 'nobody' };
    try {
      return await abortable(approver.askForm(approvalId, question.form, turn.signal), turn.signal);
    } catch {
      return { answer: turn.signal.aborted ? 'deny' : 'nobody' };
    }
  });
}

/** `isSettled`: it answered itself. `values`: of a form that a person said yes to. */
interface Said {
  readonly answer: ApprovalAnswer;
  readonly isSettled?: boolean;
  readonly values?: FormValues;
}

async function askAs(
  turn: Asker,
  question: ApprovalSubject,
  ask: (approvalId: string) => Promise<Said>,
): Promise<Said> {
  const { kind, subject, reason, shown, form, url, review, pictures = [] } = question;
  const approvalId = turn.dependencies.journal.newId('approval');
  await turn.log.append({
    type: 'approval-requested',
    approvalId,
    toolCallId: question.toolCallId,
    kind,
    subject,
    sha256: shown?.sha256 ?? sha256Of(`${kind}\n${subject}`),
    ...(shown === undefined ? {} : { text: shown.text, reason }),
    ...(typeof shown?.diff === 'string' ? { diff: shown.diff } : {}),
    ...(form === undefined ? {} : { form }),
    ...(url === undefined ? {} : { url }),
    ...(review === undefined ? {} : { review }),
    ...(pictures.length === 0 ? {} : { pictures }),
  });
  const refused = turn.refusals.get(kind) ?? 0;
  const usual = refused >= maxRefusals ? 'deny' : standingAnswer(turn.options.approve, kind);
  const standing = usual === 'ask' ? (turn.announced?.({ kind, hosts: null }) ?? usual) : usual;
  const said: Said = standing === 'ask' ? await ask(approvalId) : { answer: standing, isSettled: true };
  const { answer, values, isSettled = false } = said;
  if (!isSettled && answer === 'deny') turn.refusals.set(kind, refused + 1);
  await turn.log.close({
    type: 'approval-answered',
    approvalId,
    answer: answer === 'allow' ? 'allow' : 'deny',
    by: isSettled ? 'policy' : answer === 'nobody' ? 'nobody' : 'person',
    ...(values === undefined ? {} : { values }),
  });
  turn.log.check();
  return said;
}

/** Waits for the person. Never rejects: what goes wrong while asking means that there was nobody. */
export async function waitForUserAnswer(
  turn: Pick<Asker, 'dependencies' | 'signal'>,
  approvalId: string,
  { kind, subject, reason }: Omit<ApprovalSubject, 'toolCallId'>,
): Promise<UserAnswer> {
  try {
    return await abortable(
      turn.dependencies.approver.ask({ approvalId, kind, subject, reason }, turn.signal),
      turn.signal,
    );
  } catch (error) {
    // Only an abort ends the wait: what else goes wrong while asking means that nobody could be asked.
    if (turn.signal.aborted) return 'deny';
    void error;
    return 'nobody';
  }
}

/** A yes that lasts is for hosts; to anything else it is a yes to this. */
async function askUser(
  turn: Pick<Asker, 'dependencies' | 'signal'>,
  approvalId: string,
  { settled, ...question }: ApprovalSubject,
): Promise<{ readonly answer: ApprovalAnswer; readonly isSettled: boolean }> {
  const wait = childAbort(turn.signal);
  try {
    const asked = waitForUserAnswer({ ...turn, signal: wait.signal }, approvalId, question).then((said) => ({
      answer: said === 'allow-session' || said === 'allow-project' ? ('allow' as const) : said,
      isSettled: false,
    }));
    if (settled === undefined) return await asked;
    // Where nobody can be asked, nobody is waited for.
    return await Promise.race([asked, settled.then((answer) => ({ answer, isSettled: true }))]);
  } finally {
    wait.abort();
    wait.release();
  }
}
