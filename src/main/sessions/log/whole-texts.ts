import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';

/** The first message that a session worked on, as it was sent. */
export interface FirstMessage {
  readonly message: EventOf<'user-message-added'>;
  /** The success check of its turn. Null: there was none, or it never began. */
  readonly check: string | null;
}

/**
 * Reads the first message from the log. The folded state has only the latest messages, and of a long one only its
 * beginning and its end. Stops reading when a turn begins. Null: there is no message.
 */
export async function readFirstMessage(events: AsyncIterable<SessionEvent>): Promise<FirstMessage | null> {
  let waiting: readonly EventOf<'user-message-added'>[] = [];
  for await (const event of events) {
    if (event.type === 'user-message-added') waiting = [...waiting, event];
    if (event.type === 'message-dropped' && event.withdrawn === true)
      waiting = waiting.filter(({ messageId }) => messageId !== event.messageId);
    if (event.type !== 'turn-started') continue;
    const message = waiting.find(({ messageId }) => messageId === event.messageId);
    if (message !== undefined) return { message, check: event.check?.command ?? null };
  }
  const [message] = waiting;
  return message === undefined ? null : { message, check: null };
}

/** A session's state, and its log from an event on. */
export interface SessionLog {
  readonly state: SessionState;
  read(fromSeq?: number): AsyncIterable<SessionEvent>;
}

/** The agent's last words, in full. The folded state has only the beginning and the end of long ones. */
export async function readLastWords(log: SessionLog): Promise<string> {
  const turn = log.state.turns.at(-1);
  if (turn === undefined) return '';
  for await (const event of log.read(turn.seq))
    if (event.type === 'turn-ended' && event.turnId === turn.id) return event.text;
  return turn.text;
}
