import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import { interactiveOptions } from '../../../lib/session/interactive-options.ts';
import type { CoreClient } from '../../../lib/connection/core-client.ts';
import type { SendOptions } from '../../../lib/session/session-commands.ts';

export interface ResentTurn {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly turn: TurnState;
  /** Called once it is sent. */
  readonly onSent: () => void;
}

/**
 * The task of a turn once more, with its files, its cap and its kind. `say`: the message for the task. Rejects with a
 * failure of the core.
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
  // What the app wrote about a task once is not said about itself.
  const { origin = message?.origin } = options;
  const isAnswer = turn.mode === 'chat' || turn.mode === 'ask';
  const kind = { plan: turn.plan, ...(isAnswer ? { mode: 'ask' as const } : {}) };
  const isSaid = origin !== undefined && origin === message?.origin;
  await client.sessions.send({
    sessionId,
    text: isSaid ? task : say(task),
    options: { ...interactiveOptions, ...options, origin, ...kind, ...(maxUsd === null ? {} : { maxUsd }) },
    attachments: [...(message?.attachments ?? [])],
  });
  onSent();
}
