import { guardMs, isEdit, parseApprovalReply } from '../questions/approval-question.ts';
import type { EventOf } from '@shared/events/events.ts';
import { agentReply, howToReply, replyProblem } from '../../text/agent-question.ts';
import type { ApprovalReply } from '../../text/approval-text.ts';
import { headingOf, questionText } from '../../text/approval-text.ts';
import { scopesOf } from '@shared/safety/approval-scopes.ts';
import { presetValues } from '@shared/tools/preset-values.ts';
import type { ServerForm } from '@shared/tools/server-form.ts';
import { openUserPrompter } from '../questions/ask-user.ts';
import { askFields } from '../../text/form-fields.ts';
import { printable } from '@shared/text/seen-text.ts';
import { askingTurn, waitingTurn } from '@shared/session/waiting-turn.ts';
import { orNoted } from '../../../lib/log.ts';
import type { Chat } from './chat-state.ts';
import { usageError } from '../../text/report-failure.ts';

/** The prompt is in use, so the answer comes as a line of the chat. Further questions wait until this one is answered. */
export function addQuestion(chat: Chat, event: EventOf<'approval-requested'>): void {
  chat.questions = [...chat.questions, event];
  if (chat.questions.length === 1) showFirst(chat, event);
}

/** Shows the question that an earlier run or another window left open. */
export async function showWaiting({ context, sessionId }: Pick<Chat, 'context' | 'sessionId'>): Promise<void> {
  const core = await context.core();
  const { state } = await core.sessions.show({ sessionId });
  const turn = waitingTurn(state);
  const asking = turn === null ? null : askingTurn(state.turns, turn);
  if (asking === null) return;
  const text = (await core.sessions.detail({ sessionId, id: asking.id })).text ?? asking.text;
  const { out, err, colors } = context.terminal;
  out(`${printable(text).trimEnd()}\n`);
  err(`${colors.yellow('The task waits for your answer.')} Your next message answers it.\n`);
}

/** The question is answered, here or elsewhere. */
export function dropQuestion(chat: Chat, approvalId: string): void {
  const [before] = chat.questions;
  chat.questions = chat.questions.filter((one) => one.approvalId !== approvalId);
  const [first] = chat.questions;
  if (first !== undefined && first !== before) showFirst(chat, first);
}

function showFirst(chat: Chat, event: EventOf<'approval-requested'>): void {
  const { terminal, now } = chat.context;
  chat.shownAt = now();
  const yes = waysToAllow(event);
  const how = event.kind === 'question' ? `${howToReply(event)} /deny skips it.` : `${yes}, or /deny`;
  terminal.err(`${terminal.colors.yellow(headingOf(event))} ${questionText(event, terminal.columns)}\n${how}\n`);
  chat.showPrompt();
}

function waysToAllow(question: EventOf<'approval-requested'>): string {
  if (question.kind === 'memory') return '/allow, /allow edit';
  const scopes = scopesOf(question);
  return scopes.length === 1 ? '/allow' : scopes.map((scope) => `/allow ${scope}`).join(', ');
}

/** A line that answers the open question of the agent. False: there is none. */
export async function answerAgent(chat: Chat, line: string): Promise<boolean> {
  const { context, sessionId } = chat;
  const [question] = chat.questions;
  if (question?.kind !== 'question') return false;
  const problem = replyProblem(line, question);
  if (problem !== null) throw usageError(problem);
  const { approvalId } = question;
  await (await context.core()).sessions.approve({ sessionId, approvalId, ...agentReply(line, question) });
  dropQuestion(chat, approvalId);
  return true;
}

/**
 * What is answered where nobody is at the keyboard any more: a question of the agent waits, and anything else is a no.
 */
export function answerWithoutPerson({ kind }: EventOf<'approval-requested'>): ApprovalReply {
  return kind === 'question' ? { answer: 'allow', values: {} } : { answer: 'deny' };
}

/** Answers what is open when the person leaves, because the chat waits for the end of its turn. */
export async function leaveQuestions(chat: Chat): Promise<void> {
  const { context, sessionId, questions, cap } = chat;
  chat.isLeft = true;
  const { sessions } = await context.core();
  for (const question of questions)
    await sessions
      .approve({ sessionId, approvalId: question.approvalId, ...answerWithoutPerson(question) })
      .catch(orNoted('A question was not answered', undefined));
  if (cap !== null)
    await sessions
      .answerCap({ sessionId, capId: cap.capId, decision: { answer: 'stop' } })
      .catch(orNoted('A spending limit was not answered', undefined));
}

/** The form uses the keyboard meanwhile. Ctrl-C stops the turn, as at the prompt. */
async function fillIn(chat: Chat, approvalId: string, form: ServerForm): Promise<void> {
  const { context, sessionId } = chat;
  const core = await context.core();
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    void core.sessions.cancel({ sessionId }).catch(orNoted('The turn was not cancelled', undefined));
  };
  try {
    const values = await chat.withoutPrompt(async () => {
      const asker = openUserPrompter(context, undefined, stop);
      try {
        return await askFields(form, asker.ask, context.terminal.err);
      } finally {
        asker.close();
      }
    });
    await core.sessions.approve({ sessionId, approvalId, answer: 'allow', values });
  } catch (error) {
    if (!isStopped) throw error;
  }
}

/** Handles `/allow` and `/deny`. An approval that comes before anybody could have read the question is refused. */
export async function answerQuestion(chat: Chat, word: 'allow' | 'deny', scope: string | undefined): Promise<void> {
  const { context, sessionId, shownAt } = chat;
  const [question] = chat.questions;
  if (question === undefined) throw usageError('Nothing is waiting for approval.');
  if (question.kind === 'question' && word === 'allow')
    throw usageError('The agent asks for an answer, not for an approval.', `${howToReply(question)} /deny skips it.`);
  if (word === 'allow' && context.now() - shownAt < guardMs)
    throw usageError('That was too fast to have read the question. Answer again.');
  const { approvalId, form } = question;
  const isLine = question.kind === 'memory' && word === 'allow' && form !== undefined;
  if (isLine && !isEdit(scope ?? '')) {
    if (scope !== undefined) throw usageError(`/allow does not take "${scope}".`, 'Use /allow or /allow edit.');
    const values = presetValues(form);
    await (await context.core()).sessions.approve({ sessionId, approvalId, answer: 'allow', values });
    dropQuestion(chat, approvalId);
    return;
  }
  const said =
    word === 'deny' ? ({ answer: 'deny' } as const) : parseApprovalReply(isLine ? 'yes' : (scope ?? 'yes'), question);
  if (word === 'allow' && said.answer === 'deny')
    throw usageError(`/allow does not take "${scope ?? ''}".`, `Use ${waysToAllow(question)}.`);
  if (form !== undefined && word === 'allow') await fillIn(chat, approvalId, form);
  else await (await context.core()).sessions.approve({ sessionId, approvalId, ...said });
  dropQuestion(chat, approvalId);
}
