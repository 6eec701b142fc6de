import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import { interactiveOptions } from '../../../lib/session/interactive-options.ts';
import type { CoreClient } from '../../../lib/connection/core-client.ts';
import { keptOptions } from '../../../lib/models/session-choice.ts';
import type { SendOptions } from '../../../lib/session/session-commands.ts';

export interface ResentTurn {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly turn: TurnState;
  /** Called when it was sent. */
  readonly onSent: () => void;
}

/**
 * Sends the task of a turn again, with its files, spending limit and mode. `say` replaces the text of the message.
 * Rejects with a failure of the core.
 */
export async function resendTask(
  client: CoreClient,
  { sessionId, state, turn, onSent }: ResentTurn,
  { say, options = {} }: { readonly say: (task: string) => string; readonly options?: SendOptions },
): Promise<void> {
  const message = state.messages.find(({ messageId }) => messageId === turn.messageId);
  const { text } = await client.sessions.detail({ sessionId, id: turn.messageId, near: message?.seq });
  const { maxUsd } = turn.limits;
  const task = text ?? message?.text ?? '';
  // A text that the app wrote about a task does not become its own subject.
  const { origin = message?.origin } = options;
  const isAnswer = turn.mode === 'chat' || turn.mode === 'ask';
  const mode = isAnswer ? 'ask' : turn.mode;
  const isSaid = origin !== undefined && origin === message?.origin;
  await client.sessions.send({
    sessionId,
    text: isSaid ? task : say(task),
    options: {
      ...interactiveOptions,
      ...keptOptions(sessionId),
      ...options,
      origin,
      ...(isAnswer || mode === 'plan' ? { mode } : {}),
      ...(maxUsd === null ? {} : { maxUsd }),
    },
    attachments: [...(message?.attachments ?? [])],
  });
  onSent();
}
