import type { AgentContext, PromptRequest, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { previewFiles } from '../text/preview-files.ts';
import { followTurn } from '../text/follow-turn.ts';
import { requireModels } from '../text/require-models.ts';
import { showResult } from '../text/result-text.ts';
import { shownCurrency } from '../text/shown-currency.ts';
import type { CommandContext } from '../text/command-context.ts';
import { oneLine } from '../text/terminal.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { askForm } from './ask-form.ts';
import { askAtCap, askPermission } from './ask-permission.ts';
import type { EventUpdates } from './event-updates.ts';
import { createEventUpdates, message, thoughtUpdate } from './event-updates.ts';
import { readPrompt } from './read-prompt.ts';
import type { SessionChoices } from './session-choices.ts';
import { createTextTerminal } from './text-terminal.ts';
import { orNoted } from '../../lib/log.ts';

/** A session that is open in the editor. */
export interface EditorSession {
  readonly sessionId: string;
  readonly projectPath: string | null;
  readonly workspace: string;
  readonly choices: SessionChoices;
  /** Sent before the next answer, once. */
  note: string | null;
  /** The message that is being worked on. */
  running: { readonly abort: () => void; readonly ended: Promise<unknown> } | null;
}

export interface Editor {
  readonly client: AgentContext;
  readonly hasNotices: boolean;
  /** Whether it provides the text of the files that are open in it. */
  readonly hasBuffers: boolean;
}

/** Sends the updates of one session in order. After the editor is gone they are dropped; the log has what was done. */
export function createUpdateQueue({ client }: Pick<Editor, 'client'>, sessionId: string) {
  let last: Promise<void> = Promise.resolve();
  const add = (work: () => Promise<readonly SessionUpdate[]>): void => {
    last = last
      .then(async () => {
        for (const update of await work()) await client.notify(methods.client.session.update, { sessionId, update });
      })
      .catch(orNoted('acp: an update did not reach the editor', undefined));
  };
  return { add, send: (...updates: readonly SessionUpdate[]) => add(async () => updates), flushed: () => last };
}

export function updatesFor(
  context: CommandContext,
  core: CoreClient,
  {
    sessionId,
    workspace,
    hasNotices,
    isReplay,
  }: Pick<EditorSession, 'sessionId' | 'workspace'> & {
    readonly hasNotices: boolean;
    readonly isReplay: boolean;
  },
): EventUpdates {
  return createEventUpdates({
    workspace,
    hasNotices,
    isReplay,
    now: context.now,
    imageOf: (blob) => core.attachments.read({ blob }),
    detailsOf: async (id, near) => (await core.sessions.detail({ sessionId, id, near })).tools,
  });
}

/**
 * Works on one message of the editor until its turn has ended. The signal of the context cancels it at any point. Then
 * the reason is `cancelled`, and the log has what was done. Rejects if nothing was started.
 */
export async function workOnPrompt(
  context: CommandContext,
  session: EditorSession,
  { prompt, editor }: { readonly prompt: PromptRequest['prompt']; readonly editor: Editor },
): Promise<StopReason> {
  const { sessionId, workspace, projectPath } = session;
  const { signal } = context;
  const queue = createUpdateQueue(editor, sessionId);
  try {
    const core = await context.core();
    const options = session.choices.runOptions();
    const { text, attachments } = await readPrompt(
      core,
      { sessionId, workspace, projectPath, ...buffersOf(editor, sessionId, signal) },
      prompt,
    );
    await requireModels(context, { ...options, sessionId, policies: options.policy && [options.policy] });
    const cut = createTextTerminal();
    const place = { sessionId };
    await previewFiles(
      { ...context, terminal: cut.terminal },
      { place, text, attachments, options },
      'Choose another model',
    );
    // Nothing was sent yet.
    if (signal.aborted) return 'cancelled';
    await nameSession(core, { sessionId, text, queue });
    tellBefore(session, cut.take(), queue);
    const updates = updatesFor(context, core, { sessionId, workspace, hasNotices: editor.hasNotices, isReplay: false });
    const asked = { client: editor.client, sessionId, signal };
    let hasChanged = false;
    const ended = await followTurn(context, core, {
      sessionId,
      text,
      attachments,
      options,
      onEvent: (event: SessionEvent) => {
        hasChanged ||= event.type === 'file-changed';
        queue.add(() => updates.event(event));
      },
      onTransient: (transient) => queue.send(...updates.transient(transient)),
      approve: async (question, ended) => {
        await queue.flushed();
        const who = { ...asked, signal: AbortSignal.any([signal, ended]) };
        if (question.form !== undefined) return askForm(who, question, question.form);
        return askPermission(who, question);
      },
      atCap: async (event) => {
        await queue.flushed();
        return askAtCap(asked, event);
      },
    });
    queue.add(async () => [thoughtUpdate(await summaryOf(core, sessionId, hasChanged))]);
    await queue.flushed();
    // A question that was left open by a cancel waits. For the editor, its prompt was cancelled all the same.
    const isLeft = ended?.reason === 'waiting' && signal.aborted;
    return ended === null || isLeft ? 'cancelled' : stopReasonOf(ended);
  } catch (error) {
    await queue.flushed();
    if (signal.aborted) return 'cancelled';
    throw error;
  }
}

function buffersOf({ client, hasBuffers }: Editor, sessionId: string, signal: AbortSignal) {
  if (!hasBuffers) return {};
  const waiting = { cancellationSignal: signal, stopWaitingOnCancel: true };
  const buffer = async (path: string): Promise<string> =>
    (await client.request(methods.client.fs.readTextFile, { sessionId, path }, waiting)).content;
  return { buffer };
}

/** Names a session after its first message, so that the user finds it in the list. */
async function nameSession(
  core: CoreClient,
  {
    sessionId,
    text,
    queue,
  }: { readonly sessionId: string; readonly text: string; readonly queue: ReturnType<typeof createUpdateQueue> },
): Promise<void> {
  if ((await core.sessions.find({ id: sessionId })).title !== '') return;
  const title = oneLine(text, 80);
  if (title === '') return;
  await core.sessions.rename({ sessionId, title });
  queue.send({ sessionUpdate: 'session_info_update', title });
}

function tellBefore(session: EditorSession, cut: string, queue: ReturnType<typeof createUpdateQueue>): void {
  const told = [session.note ?? '', cut.trim()].filter((one) => one !== '');
  session.note = null;
  if (told.length > 0) queue.send(message(`${told.join('\n\n')}\n\n`));
}

/** How it ended, what it changed and what it cost, in the words of the command line. */
async function summaryOf(core: CoreClient, sessionId: string, hasChanged: boolean): Promise<string> {
  const result = await core.sessions.result({ sessionId });
  const { terminal, take } = createTextTerminal();
  const currency = await shownCurrency(core);
  showResult(hasChanged ? result : { ...result, changes: [] }, terminal, { isJson: true, currency });
  return take();
}

function stopReasonOf({ reason, failure }: EventOf<'turn-ended'>): StopReason {
  switch (reason) {
    case 'incomplete':
      return failure?.code === 'too-large' ? 'max_tokens' : 'end_turn';
    case 'cancelled':
      return 'cancelled';
    case 'step-limit':
      return 'max_turn_requests';
    case 'token-limit':
    case 'output-limit':
      return 'max_tokens';
    default:
      return 'end_turn';
  }
}
