import { scopesOf } from '@shared/safety/approval-scopes.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import type { AgentContext, PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import type { EventOf } from '@shared/events/events.ts';
import { suggestedRaiseUsd } from '@shared/money/limit-raise.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { seenCommand, seenName } from '@shared/text/seen-text.ts';
import type { ApprovalReply } from '../text/approval-text.ts';
import { headingOf, questionText } from '../text/approval-text.ts';
import type { CapDecision } from '../../money/budget.ts';
import { describeReachedCap } from '../text/cap-text.ts';
import { fencedWhole, textContent } from './shown-content.ts';

/** Who is asked, in which session, and until when. */
export interface PermissionTarget {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

interface Choice<Answer> {
  readonly option: PermissionOption;
  readonly answer: Answer;
}

const columns = 120;

/**
 * Asks the user in the editor. Anything but a plain yes is a no: another answer, a cancel, an editor that is gone. What
 * a yes covers is shown in full. If it is too long for that, the answer is no, and the user is told why.
 */
export async function askPermission(
  asked: PermissionTarget,
  question: EventOf<'approval-requested'>,
): Promise<ApprovalReply> {
  const { kind, toolCallId, approvalId, hosts } = question;
  const names = hosts === undefined ? seenCommand(question.subject) : hosts.map(seenName).join(', ');
  const content = fencedWhole(questionText(question, columns));
  if (content === null) {
    await tell(asked, `${headingOf(question)} ${tooLong}`);
    return { answer: 'deny' };
  }
  const toolCall: RequestPermissionRequest['toolCall'] = {
    // A question without a call gets its own id, so that it replaces no call in the editor.
    toolCallId: toolCallId === '' ? approvalId : toolCallId,
    title: `${headingOf(question)} ${names}`,
    kind: kind === 'network' ? 'fetch' : kind === 'guarded-file' ? 'edit' : 'other',
    status: 'pending',
    content,
  };
  return ask(asked, toolCall, { choices: choicesOf(question), otherwise: { answer: 'deny' } });
}

const tooLong =
  'The question is too long to be shown here as a whole, so the answer is no. Ask again in the app or the terminal.';

async function tell({ client, sessionId }: PermissionTarget, text: string): Promise<void> {
  const update = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } } as const;
  // An editor that is gone reads nothing.
  await client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
}

const scopeNames: Readonly<Record<ApprovalScope, string>> = {
  once: 'Allow once',
  session: 'Allow for this session',
  project: 'Always allow for this project',
  always: 'Always allow this tool',
};

/** The exact answers that this question allows. */
function choicesOf(question: EventOf<'approval-requested'>): readonly Choice<ApprovalReply>[] {
  const { kind, hosts, grant } = question;
  const yes = (optionId: string, name: string, always = false): Choice<ApprovalReply> => {
    const scope = scopesOf(question).find((one) => one === optionId) ?? 'once';
    const option: PermissionOption = { optionId, name, kind: always ? 'allow_always' : 'allow_once' };
    return { option, answer: { answer: 'allow', ...(hosts === undefined && grant === undefined ? {} : { scope }) } };
  };
  const no: Choice<ApprovalReply> = {
    option: { optionId: 'deny', name: kind === 'disk' ? 'End the command' : 'Deny', kind: 'reject_once' },
    answer: { answer: 'deny' },
  };
  if (kind === 'instructions') return [yes('allow', 'Follow them until the file changes'), no];
  if (kind === 'disk') return [yes('allow', 'There is enough space: continue'), no];
  if (kind === 'server-link')
    return [yes('allow', 'I opened it, continue'), { ...no, option: { ...no.option, name: 'Decline' } }];
  const scopes = scopesOf(question);
  if (scopes.length === 1) return [yes('allow', 'Allow once'), no];
  return [...scopes.map((scope) => yes(scope, scopeNames[scope], scope !== 'once')), no];
}

/** Asks what to do at a spending limit. Without an answer the turn stops. */
export async function askAtCap(asked: PermissionTarget, event: EventOf<'cap-reached'>): Promise<CapDecision> {
  const choice = (optionId: string, name: string, answer: CapDecision): Choice<CapDecision> => ({
    option: { optionId, name, kind: answer.answer === 'stop' ? 'reject_once' : 'allow_once' },
    answer,
  });
  const usd = suggestedRaiseUsd(event);
  const choices = [
    ...(event.here === null ? [] : [choice('local', 'Continue locally', { answer: 'local' })]),
    ...(event.worstUsd === null
      ? []
      : [choice('raise', `Raise the limit by ${moneyText(usd)}`, { answer: 'raise', usd })]),
    choice('stop', 'Stop', { answer: 'stop' }),
  ];
  const toolCall: RequestPermissionRequest['toolCall'] = {
    toolCallId: event.capId,
    title: 'The next call could exceed your limit',
    kind: 'other',
    status: 'pending',
    content: [textContent(`${describeReachedCap(event)}.`)],
  };
  return ask(asked, toolCall, { choices, otherwise: { answer: 'stop' } });
}

async function ask<Answer>(
  { client, sessionId, signal }: PermissionTarget,
  toolCall: RequestPermissionRequest['toolCall'],
  { choices, otherwise }: { readonly choices: readonly Choice<Answer>[]; readonly otherwise: Answer },
): Promise<Answer> {
  if (signal.aborted) return otherwise;
  const request: RequestPermissionRequest = { sessionId, toolCall, options: choices.map(({ option }) => option) };
  try {
    const { outcome } = await client.request<'session/request_permission'>(
      methods.client.session.requestPermission,
      request,
      {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      },
    );
    const chosen = outcome.outcome === 'selected' ? outcome.optionId : null;
    return choices.find(({ option }) => option.optionId === chosen)?.answer ?? otherwise;
  } catch {
    // Nobody answered: the editor is gone, cannot ask, or the turn was cancelled.
    return otherwise;
  }
}
