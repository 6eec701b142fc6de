import type { SessionState, TurnState } from '@shared/session-state.ts';
import { attended } from '../../lib/attended.ts';
import type { CoreClient } from '../../lib/core-client.ts';
import type { SendOptions } from '../../lib/session-commands.ts';

export interface SentTurn {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly turn: TurnState;
}

/**
 * The task of a turn once more, with its files, its cap and its kind. `say`: the message for the task. Rejects with a
 * failure of the core.
 */
export async function sendAgain(
  client: CoreClient,
  { sessionId, state, turn }: SentTurn,
  { say, options = {} }: { readonly say: (task: string) => string; readonly options?: SendOptions },
): Promise<void> {
  const message = state.messages.find(({ messageId }) => messageId === turn.messageId);
  const { text } = await client.sessions.detail({ sessionId, id: turn.messageId, near: message?.seq });
  const { maxUsd } = turn.limits;
  await client.sessions.send({
    sessionId,
    text: say(text ?? message?.text ?? ''),
    options: { ...attended, ...options, plan: turn.plan, ...(maxUsd === null ? {} : { maxUsd }) },
    attachments: [...(message?.attachments ?? [])],
  });
}
