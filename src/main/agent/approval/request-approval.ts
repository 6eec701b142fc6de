import type { UserAnswer } from '../../safety/approvals/approver.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ProgramReview } from '@shared/events/approval-events.ts';
import type { ApprovalKind, ApproveMode } from '@shared/safety/approval-grants.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import { maxRefusals, standingAnswer } from '../../safety/approvals/approval-policy.ts';
import { abortable } from '../../lib/async/abort.ts';
import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { AgentDependencies } from '../turn/agent-dependencies.ts';
import type { AskingTurn } from '../turn/turn.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** `nobody`: there was no one to ask. The caller decides whether that ends the turn. */
export type ApprovalAnswer = 'allow' | 'deny' | 'nobody';

/** The part of a turn that asks a question. */
type Asker = Omit<AskingTurn, 'dependencies'> & {
  readonly dependencies: Pick<AgentDependencies, 'journal' | 'approver'>;
};

/** The subject of a question. `toolCallId` is the call that asks. */
export interface ApprovalSubject {
  readonly kind: ApprovalKind;
  readonly subject: string;
  readonly reason: string;
  readonly toolCallId: string;
  /**
   * What the user would approve, if `subject` only names it: the whole text, the hash of its bytes, and what is new in
   * it.
   */
  readonly shown?: { readonly sha256: string; readonly text: string; readonly diff: string | null };
  /** For a question of a tool server: its form, or the address that it wants opened. */
  readonly form?: ServerForm;
  /** The values that count if the user gives none by then, or cannot be asked. `late` never rejects. */
  readonly usual?: { readonly values: FormValues; readonly late: Promise<void> };
  readonly url?: string;
  readonly review?: ProgramReview;
  /** What a lasting yes covers. Absent: a yes holds only once. */
  readonly grant?: string;
  /** Why the user need not be asked again: they gave a lasting yes. */
  readonly allowedBefore?: string;
  /** Images that belong to the question and are shown to the user. */
  readonly pictures?: readonly Attachment[];
  /** Answers instead of the user if the question settles itself. Never rejects. */
  readonly settled?: Promise<'allow' | 'deny'>;
}

/**
 * Asks the user one question, with question and answer in the log. After three refusals of the same kind, the user is
 * not asked again in this turn. Throws `cancelled` if the turn is aborted meanwhile.
 */
export async function askApproval(turn: Asker, question: ApprovalSubject): Promise<ApprovalAnswer> {
  return (await askForScope(turn, question)).answer;
}

/** Like `askApproval`, with how long a yes of the user holds. */
export async function askForScope(
  turn: Asker,
  question: ApprovalSubject,
): Promise<{ readonly answer: ApprovalAnswer; readonly scope?: ApprovalScope }> {
  return askAs(turn, question, (approvalId) => askUser(turn, approvalId, question));
}

/** Like `askApproval` for a form. The answer contains only fields that the user was shown. Throws `cancelled`. */
export async function askForm(turn: Asker, question: ApprovalSubject & { readonly form: ServerForm }): Promise<Said> {
  const { approver } = turn.dependencies;
  return askAs(turn, question, async (approvalId) => {
    const { usual } = question;
    const otherwise: Said | null =
      usual === undefined ? null : { answer: 'allow', isSettled: true, values: usual.values };
    if (approver.askForm === undefined) return otherwise ?? { answer: 'nobody' };
    const wait = childAbort(turn.signal);
    try {
      const asked: Promise<Said> = abortable(approver.askForm(approvalId, question.form, wait.signal), wait.signal);
      if (usual === undefined || otherwise === null) return await asked;
      const said = await Promise.race([asked, usual.late.then(() => otherwise)]);
      return said.answer === 'nobody' ? otherwise : said;
    } catch {
      return turn.signal.aborted ? { answer: 'deny' } : (otherwise ?? { answer: 'nobody' });
    } finally {
      wait.abort();
      wait.release();
    }
  });
}

/** `isSettled`: the question settled itself. `values`: those of a form that the user approved. */
interface Said {
  readonly answer: ApprovalAnswer;
  /** How long a yes holds, if it can hold longer than once. */
  readonly scope?: ApprovalScope;
  readonly isSettled?: boolean;
  readonly values?: FormValues;
}

async function askAs(
  turn: Asker,
  question: ApprovalSubject,
  ask: (approvalId: string) => Promise<Said>,
): Promise<Said> {
  const { kind, subject, reason, shown, form, url, review, grant, allowedBefore, pictures = [] } = question;
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
    ...(grant === undefined ? {} : { grant }),
    ...(review === undefined ? {} : { review }),
    ...(pictures.length === 0 ? {} : { pictures }),
  });
  const refused = turn.asking.refusals.get(kind) ?? 0;
  const usual = refused >= maxRefusals ? 'deny' : standingAnswer(turn.options.approve, kind);
  const announced = usual === 'ask' ? (turn.asking.announced?.({ kind, hosts: null }) ?? null) : null;
  const isAllowed = usual === 'ask' && announced === null && allowedBefore !== undefined;
  const standing = isAllowed ? 'allow' : (announced ?? usual);
  const said: Said = standing === 'ask' ? await ask(approvalId) : { answer: standing, isSettled: true };
  const { answer, values, scope, isSettled = false } = said;
  if (!isSettled && answer === 'deny') turn.asking.refusals.set(kind, refused + 1);
  await turn.log.close({
    type: 'approval-answered',
    approvalId,
    answer: answer === 'allow' ? 'allow' : 'deny',
    by: isSettled ? 'policy' : answer === 'nobody' ? 'nobody' : 'person',
    ...(standing === 'ask'
      ? {}
      : {
          reason: isAllowed ? allowedBefore : standingReason({ refused, announced }, turn.options.approve, answer),
        }),
    ...(scope === undefined ? {} : { scope }),
    ...(values === undefined ? {} : { values }),
  });
  turn.log.check();
  return said;
}

/** Why nobody was asked. */
function standingReason(
  { refused, announced }: { readonly refused: number; readonly announced: 'allow' | 'deny' | null },
  approve: ApproveMode,
  answer: ApprovalAnswer,
): string {
  if (announced !== null) return 'As you answered for the whole program.';
  if (refused >= maxRefusals) return `You said no ${maxRefusals} times in this turn.`;
  return answer === 'deny' && approve === 'allow'
    ? 'Only your own yes counts here, and --approve allow asks you nothing.'
    : `By --approve ${approve}.`;
}

/** Waits for the user's answer. Never rejects: a failure while asking counts as `nobody`. */
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
    // An abort counts as a no. Any other failure means that nobody could be asked.
    if (turn.signal.aborted) return 'deny';
    void error;
    return 'nobody';
  }
}

const scopes = { 'allow-session': 'session', 'allow-always': 'always' } as const;

/** A lasting yes exists only for what names what it covers. For anything else it counts as a single yes. */
async function askUser(
  turn: Pick<Asker, 'dependencies' | 'signal'>,
  approvalId: string,
  { settled, ...question }: ApprovalSubject,
): Promise<Said> {
  const wait = childAbort(turn.signal);
  try {
    const asked = waitForUserAnswer({ ...turn, signal: wait.signal }, approvalId, question).then((said): Said => {
      if (said === 'deny' || said === 'nobody' || said === 'allow') return { answer: said };
      const isLasting = question.grant !== undefined && said !== 'allow-project';
      return { answer: 'allow', ...(isLasting ? { scope: scopes[said] } : {}) };
    });
    if (settled === undefined) return await asked;
    // If nobody can be asked, the question ends without waiting for `settled`.
    return await Promise.race([asked, settled.then((answer): Said => ({ answer, isSettled: true }))]);
  } finally {
    wait.abort();
    wait.release();
  }
}
