import { guardMs, parseApprovalReply } from '../questions/approval-question.ts';
import type { EventOf } from '@shared/events/events.ts';
import { agentReply, howToReply } from '../../text/agent-question.ts';
import { headingOf, questionText } from '../../text/approval-text.ts';
import type { ServerForm } from '@shared/tools/server-form.ts';
import { openUserPrompter } from '../questions/ask-user.ts';
import { askFields } from '../../text/form-fields.ts';
import { orNoted } from '../../../lib/log.ts';
import type { AskedQuestion, Chat } from './chat-state.ts';
import { usageError } from '../../text/report-failure.ts';

/** The prompt is in use, so the answer comes as a command. */
export function showQuestion(chat: Chat, event: EventOf<'approval-requested'>): void {
  const { terminal, now } = chat.context;
  chat.question = { event, shownAt: now() };
  const yes =
    event.hosts === undefined || event.isOnce === true ? '/allow' : '/allow once, /allow session, /allow project';
  const how = event.kind === 'question' ? `${howToReply(event)} /deny skips it.` : `${yes}, or /deny`;
  terminal.err(`${terminal.colors.yellow(headingOf(event))} ${questionText(event, terminal.columns)}\n${how}\n`);
}

/** A line that answers the open question of the agent. False: there is none. */
export async function answerAgent(chat: Chat, line: string): Promise<boolean> {
  const { question, context, sessionId } = chat;
  if (question?.event.kind !== 'question') return false;
  const { approvalId } = question.event;
  chat.question = null;
  await (await context.core()).sessions.approve({ sessionId, approvalId, ...agentReply(line, question.event) });
  return true;
}

/** The form uses the keyboard meanwhile. Ctrl-C stops the turn, as at the prompt. */
async function fillIn(chat: Chat, question: AskedQuestion, form: ServerForm): Promise<void> {
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
    const { approvalId } = question.event;
    await core.sessions.approve({ sessionId, approvalId, answer: 'allow', values });
  } catch (error) {
    if (isStopped) return;
    chat.question = question;
    throw error;
  }
}

/** Handles `/allow` and `/deny`. An approval that comes before anybody could have read the question is refused. */
export async function answerQuestion(chat: Chat, word: 'allow' | 'deny', scope: string | undefined): Promise<void> {
  const { question, context, sessionId } = chat;
  if (question === null) throw usageError('Nothing is waiting for approval.');
  if (word === 'allow' && context.now() - question.shownAt < guardMs)
    throw usageError('That was too fast to have read the question. Answer again.');
  const { approvalId, hosts } = question.event;
  const said =
    word === 'deny' ? ({ answer: 'deny' } as const) : parseApprovalReply(scope ?? 'yes', hosts !== undefined);
  if (word === 'allow' && said.answer === 'deny')
    throw usageError(
      `/allow does not take "${scope ?? ''}".`,
      'Use /allow, or for hosts also /allow session or /allow project.',
    );
  chat.question = null;
  const { form } = question.event;
  if (form !== undefined && word === 'allow') await fillIn(chat, question, form);
  else await (await context.core()).sessions.approve({ sessionId, approvalId, ...said });
}
