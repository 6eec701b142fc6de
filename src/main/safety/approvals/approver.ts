import type { ApprovalKind } from '@shared/safety/approval-grants.ts';
import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';

export interface ApprovalQuestion {
  readonly approvalId: string;
  readonly kind: ApprovalKind;
  /** A path, a host or a command. */
  readonly subject: string;
  readonly reason: string;
}

/**
 * `nobody`: there is no one to ask (a run without a terminal). The lasting ones are for questions about hosts and about
 * tools of servers.
 */
export type UserAnswer = 'allow' | `allow-${'session' | 'project' | 'always'}` | 'deny' | 'nobody';

/** The user's answer to a form of a server. */
export type FormReply =
  | { readonly answer: 'allow'; readonly values: FormValues }
  | { readonly answer: 'deny' | 'nobody' };

/** Asks the user. Rejects on abort. */
export interface Approver {
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<UserAnswer>;
  /** Absent: no one can fill in a form. */
  askForm?(approvalId: string, form: ServerForm, signal: AbortSignal): Promise<FormReply>;
  /** How long the turn has waited for the user so far, also in a wait that is still open. Absent: it asks nobody. */
  waitedMs?(): number;
}
