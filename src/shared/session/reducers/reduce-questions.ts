import type { EventOf } from '@shared/events/events.ts';
import type { ApprovalState, SessionState } from '@shared/session/session-state.ts';
import { firstLine, shortenText, textLimit } from '@shared/text/shorten-text.ts';

type QuestionEvent = EventOf<'approval-requested' | 'approval-answered' | 'cap-reached' | 'cap-answered'>;

/** The questions that wait for the user: approvals, and whether a spending limit is raised. */
export function reduceQuestions(state: SessionState, event: QuestionEvent): Partial<SessionState> {
  switch (event.type) {
    case 'approval-requested':
    case 'approval-answered':
      return { approvals: reduceApprovals(state.approvals, event) };
    case 'cap-reached': {
      const { capId, model, scope, limitUsd, spentUsd, heldUsd, worstUsd, here, stepUsd, at } = event;
      const step = stepUsd === undefined ? {} : { stepUsd };
      const amounts = { scope, limitUsd, spentUsd, heldUsd, worstUsd, ...step };
      return { cap: { capId, model: firstLine(model), ...amounts, here, at } };
    }
    case 'cap-answered':
      return { cap: null };
  }
}

function reduceApprovals(
  approvals: readonly ApprovalState[],
  event: EventOf<'approval-requested'> | EventOf<'approval-answered'>,
): readonly ApprovalState[] {
  if (event.type === 'approval-answered')
    return approvals.filter((approval) => approval.approvalId !== event.approvalId);
  const { approvalId, toolCallId, kind, subject, sha256, hosts, isOnce, reason, why, text, diff, child } = event;
  const asker = child === undefined ? {} : { child };
  if (hosts === undefined) {
    // What the user approves must not be shortened. The answer removes it from the state.
    const whole = {
      ...(text === undefined ? {} : { text, reason: shortenText(reason ?? '', textLimit) }),
      ...(diff === undefined ? {} : { diff }),
      ...(event.grant === undefined ? {} : { grant: event.grant }),
      ...(event.form === undefined ? {} : { form: event.form }),
      ...(event.url === undefined ? {} : { url: event.url }),
      ...(event.review === undefined ? {} : { review: event.review }),
      ...(event.pictures === undefined ? {} : { pictures: event.pictures }),
    };
    return [...approvals, { approvalId, toolCallId, kind, subject, sha256, ...whole, ...asker }];
  }
  // A command is kept whole for the same reason: the user would approve a part unseen.
  const said = {
    reason: shortenText(reason ?? '', textLimit),
    why: firstLine(why ?? ''),
    ...(isOnce === true ? { isOnce } : {}),
    ...(text === undefined ? {} : { text }),
  };
  return [...approvals, { approvalId, toolCallId, kind, subject, sha256, hosts, ...said, ...asker }];
}
