import type { Interface } from 'node:readline';
import { attachResources } from '../turn/attach-file.ts';
import { previewFiles } from '../../text/preview-files.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runStatusOf } from '@shared/session/session-state.ts';
import { parseSlash } from '@shared/session/slash-commands.ts';
import { printable } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import { raisedSteps } from '@shared/money/limit-raise.ts';
import { raiseText } from '../questions/cap-question.ts';
import { showResult } from '../../text/result-text.ts';
import { shownCurrency } from '../../text/shown-currency.ts';
import type { Chat } from '../chat/chat-state.ts';
import {
  addQuestion,
  answerAgent,
  dropQuestion,
  leaveQuestions,
  showWaiting,
  answerWithoutPerson,
} from '../chat/chat-questions.ts';
import { endings } from '../../text/ending-words.ts';
import { runChatCommand, sayServerPrompt } from '../chat/chat-commands.ts';
import type { Command } from '../../text/command-context.ts';
import { reportFailure } from '../../text/report-failure.ts';
import { followTurn } from '../../text/follow-turn.ts';
import type { FlagValues } from '../program/run-flags.ts';
import { parseRunOptions } from '../turn/parse-run-options.ts';
import { createLiveView } from '../terminal/live-view.ts';
import { ensureModel } from './models/models.command.ts';
import { openPrompt } from '../terminal/open-prompt.ts';
import { offerPreparation } from './projects/prepare-project.command.ts';
import { withAssistant } from '../checks/with-assistant.ts';
import { requireModels } from '../../text/require-models.ts';
import { keptIn, nameBackground, openSession, withProject } from './run.command.ts';
import { oneLine } from '../../text/terminal.ts';

/** Runs a conversation in the terminal. Each line is a message. A working agent gets it at its next step. */
export const chat: Command<[FlagValues]> = async (context, args) => {
  const { isInteractive } = context.terminal;
  const typed = parseRunOptions(isInteractive ? { atCap: 'ask', ...args } : args, isInteractive);
  const core = await context.core();
  // The user left during the start.
  if (context.signal.aborted) return 130;
  const options = await keptIn(context, await withProject(context, typed, args.project));
  // Checks the names before a session is created.
  const checked = await withAssistant(context, options);
  await requireModels(context, { ...checked, policies: options.policy && [options.policy] });
  if (options.projectPath !== undefined && options.sandbox !== 'read-only')
    await offerPreparation(context, options.projectPath, isInteractive);
  const sessionId = await openSession(context, options);
  const { projectPath, project } = await core.sessions.find({ id: sessionId });
  await ensureModel(context, { ...checked, ...(project === null ? {} : { projectKey: project }) });
  context.terminal.err(`session ${sessionId}; /help shows all commands\n`);
  const prompt = openPrompt(context.terminal);
  const { reader } = prompt;
  const state: Chat = {
    context: { ...context, terminal: prompt.terminal },
    sessionId,
    projectPath,
    project,
    options,
    attached: [],
    running: null,
    cap: null,
    questions: [],
    shownAt: 0,
    say: (text, said) => say(state, text, said),
    withoutPrompt: prompt.without,
    showPrompt: prompt.show,
  };
  if (options.sessionId !== undefined) await showWaiting(state);
  // A reader created after an abort would never notice the abort.
  if (!context.signal.aborted) await converse(state, reader);
  reader.close();
  await leaveQuestions(state);
  await state.running;
  await nameBackground(context, sessionId);
  if (options.sessionId === undefined) await forgetUnused(core, sessionId);
  return 0;
};

/** Deletes a conversation without messages, which would only clutter the list. */
async function forgetUnused(core: CoreClient, sessionId: string): Promise<void> {
  const { title } = await core.sessions.find({ id: sessionId });
  if (title !== '') return;
  await core.sessions.delete({ sessionId });
  await core.sessions.purge({ id: sessionId });
}

async function converse(state: Chat, reader: Interface): Promise<void> {
  const stop = (): void => reader.close();
  // Ctrl-C stops the running turn. Without one, it leaves the chat.
  reader.on('SIGINT', () => (state.running === null ? reader.close() : void cancel(state)));
  state.context.signal.addEventListener('abort', stop, { once: true });
  // Piped input ends before its last line has been handled. No prompt is shown then.
  let isOpen = true;
  reader.once('close', () => {
    isOpen = false;
  });
  reader.prompt();
  for await (const line of reader) {
    if (!(await takeLine(state, line.trim()))) break;
    if (isOpen) reader.prompt();
  }
}

/** False: leave the chat. */
async function takeLine(state: Chat, line: string): Promise<boolean> {
  if (line === '') return true;
  try {
    // A path such as /tmp/a is not a command.
    if (parseSlash(line, 'terminal') !== null) return await runChatCommand(state, line);
    if (await answerAgent(state, line)) return true;
    if (!(await sayServerPrompt(state, line))) await say(state, line, state.options);
  } catch (error) {
    reportFailure(error, state.context.terminal);
  }
  return true;
}

async function cancel({ context, sessionId }: Chat): Promise<void> {
  await (await context.core()).sessions.cancel({ sessionId });
}

/** Sends a message. If a turn is running, the view of that turn shows when the message reaches the agent. */
async function say(state: Chat, text: string, options: RunOptions): Promise<void> {
  const { context, sessionId } = state;
  const core = await context.core();
  const place = { sessionId };
  const attachments = [...state.attached, ...(await attachResources(context, place, text))];
  await previewFiles(context, { place, text, attachments, options }, 'Choose one with /model PROVIDER/NAME');
  if (state.running !== null) {
    await core.sessions.send({ sessionId, text, options, attachments });
    // Removed only now: attachments that could not be sent go with the next message.
    state.attached = state.attached.filter((one) => !attachments.includes(one));
    state.options = { ...state.options, compact: false };
    return;
  }
  state.attached = [];
  state.options = { ...state.options, compact: false };
  const { title } = await core.sessions.find({ id: sessionId });
  // The first message becomes the title, so that the user finds the conversation in the list.
  if (title === '') await core.sessions.rename({ sessionId, title: oneLine(text, 80) });
  state.running = follow(state, { text, options, attachments }).finally(() => {
    state.running = null;
    state.cap = null;
    state.questions = [];
    state.showPrompt();
  });
  // If nobody is at the keyboard, the next line waits for the end of the turn.
  if (!context.terminal.isInteractive) await state.running;
}

async function follow(
  state: Chat,
  message: { readonly text: string; readonly options: RunOptions; readonly attachments: readonly Attachment[] },
): Promise<void> {
  const { context, sessionId } = state;
  const core = await context.core();
  const view = createLiveView(context.terminal, context.now);
  let isSent = false;
  let hasChanged = false;
  try {
    await followTurn(context, core, {
      sessionId,
      ...message,
      onEvent: (event) => {
        isSent ||= event.type === 'user-message-added';
        hasChanged ||= event.type === 'file-changed';
        view.event(event);
        if (event.type === 'approval-answered') dropQuestion(state, event.approvalId);
      },
      onTransient: (transient) => view.transient(transient),
      approve: async (question) => {
        if (state.isLeft === true) return answerWithoutPerson(question);
        addQuestion(state, question);
        return null;
      },
      // The prompt is in use, so the answer comes as a command.
      atCap: async (event) => {
        if (state.isLeft === true) return { answer: 'stop' };
        state.cap = event;
        context.terminal.err(
          `The next call could exceed your limit: /${raiseText(event)} for about ${raisedSteps} more steps, /local to continue locally, /stop to stop.\n`,
        );
        state.showPrompt();
        return null;
      },
      onNext: ({ text, reason }) => {
        if (text.trim() !== '') context.terminal.out(`${printable(text).trimEnd()}\n`);
        context.terminal.err(
          `${context.terminal.colors.dim(`(${endings[runStatusOf(reason)]}; the next message starts)`)}\n`,
        );
      },
    });
    view.close();
    const result = await core.sessions.result({ sessionId });
    // The result lists the changes of the whole session, which an answer without changes would repeat.
    const currency = await shownCurrency(core);
    showResult(hasChanged ? result : { ...result, changes: [] }, context.terminal, { isJson: false, currency });
  } catch (error) {
    if (!isSent) state.attached = [...message.attachments, ...state.attached];
    reportFailure(error, context.terminal);
  } finally {
    view.close();
  }
}
