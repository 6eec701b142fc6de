import type { CommandContext } from '../../text/command-context.ts';
import type { ApprovalReply, ApprovalRequest } from '../../text/approval-text.ts';
import { headingOf, hostText, questionText } from '../../text/approval-text.ts';
import { agentReply, replyProblem } from '../../text/agent-question.ts';
import { askFields } from '../../text/form-fields.ts';
import type { LastingQuestion } from '@shared/safety/approval-scopes.ts';
import { scopeNamed } from '@shared/safety/approval-scopes.ts';
import type { ServerForm } from '@shared/tools/server-form.ts';
import { presetValues } from '@shared/tools/preset-values.ts';
import type { Keyboard } from './ask-user.ts';
import { openUserPrompter, terminalKeyboard } from './ask-user.ts';

/** Long enough that keys typed for something else cannot answer. */
export const guardMs = 500;

interface AskedKeyboard extends Keyboard {
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
}

const timedKeyboard = (): AskedKeyboard => ({ ...terminalKeyboard(), now: () => performance.now() });

/**
 * Asks the user at the terminal. Anything but a plain yes is a no. Input that comes too early is ignored. Null: the work
 * is being stopped, so nothing was answered.
 */
export async function askApproval(
  question: ApprovalRequest,
  context: Pick<CommandContext, 'terminal' | 'signal'>,
  { now, ...keyboard }: AskedKeyboard = timedKeyboard(),
): Promise<ApprovalReply | null> {
  const { err, colors, columns } = context.terminal;
  const asker = openUserPrompter(context, keyboard);
  try {
    err(`${colors.yellow(headingOf(question))} ${questionText(question, columns, 'in-short')}\n`);
    for (;;) {
      const askedAt = now();
      const said = await asker.ask(promptOf(question));
      if (now() - askedAt < guardMs) err('That was too fast to have read the question. Answer again.\n');
      else if (said.trim().toLowerCase() === 'show') err(`${questionText(question, columns)}\n`);
      else if (question.kind === 'question') {
        const problem = replyProblem(said, question);
        if (problem === null) return agentReply(said, question);
        err(`${problem}\n`);
      } else if (question.kind === 'memory' && question.form !== undefined) {
        return await lineReply(said, question.form, (field) => asker.ask(field), err);
      } else {
        const reply = parseApprovalReply(said, question);
        if (question.form === undefined || reply.answer === 'deny') return reply;
        return { answer: 'allow', values: await askFields(question.form, asker.ask, err) };
      }
    }
  } catch {
    if (context.signal.aborted) return null;
    // The end of the input means no, and of a question only that nobody answers now.
    return question.kind === 'question' ? { answer: 'allow', values: {} } : { answer: 'deny' };
  } finally {
    asker.close();
  }
}

/** Includes the hosts, so that they are visible however long the command is. */
function promptOf({ kind, hosts, isOnce, grant }: ApprovalRequest): string {
  if (hosts !== undefined) {
    const names = hosts.length > 3 ? `the ${hosts.length} hosts` : hosts.map(hostText).join(', ');
    return isOnce === true
      ? `Allow ${names} once? [y/N] `
      : `Allow ${names}? once [o], for this session [s], always for this project [p], no [N] `;
  }
  if (grant !== undefined) return 'Allow? once [o], this tool for this session [s], always [a], no [N] ';
  if (kind === 'memory') return 'Keep it? Type e to edit it first. [y/e/N] ';
  if (kind === 'question') return 'Your answer (Enter alone to answer later): ';
  if (kind === 'disk') return 'Is there enough space to continue? Anything but yes ends the command. [y/N] ';
  if (kind === 'server-form') return 'Fill it in? [y/N] ';
  if (kind === 'server-link') return 'Have you opened it, and should the server go on? [y/N] ';
  if (kind === 'hard-links') return 'Break the links? Anything but yes keeps them. [y/N] ';
  return kind === 'instructions' ? 'Follow them, until the file changes? [y/N] ' : 'Allow? [y/N] ';
}

/** A line for the memory: as it is, as the user edits it, or not at all. */
async function lineReply(
  said: string,
  form: ServerForm,
  ask: (question: string) => Promise<string>,
  tell: (text: string) => void,
): Promise<ApprovalReply> {
  if (isEdit(said)) return { answer: 'allow', values: await askFields(form, ask, tell) };
  const reply = parseApprovalReply(said, {});
  return reply.answer === 'deny' ? reply : { ...reply, values: presetValues(form) };
}

/** Whether the user wants to edit a line before it is kept. */
export function isEdit(said: string): boolean {
  return ['e', 'edit'].includes(said.trim().toLowerCase());
}

/** The words that the user may answer with. Exported for tests. */
export function parseApprovalReply(said: string, question: LastingQuestion): ApprovalReply {
  const scope = scopeNamed(said.trim().toLowerCase(), question);
  if (scope === null) return { answer: 'deny' };
  const isLasting = question.hosts !== undefined || question.grant !== undefined;
  return { answer: 'allow', ...(isLasting ? { scope } : {}) };
}
