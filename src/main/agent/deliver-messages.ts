import type { Turn } from './turn.ts';

/** Shows the model what the person has said since; true when there was something. */
export async function deliverMessages(turn: Turn): Promise<boolean> {
  let delivered = false;
  turn.log.check();
  for (let message = turn.services.inbox.take(); message !== null; message = turn.services.inbox.take()) {
    turn.conversation.noteQueued(message.messageId, message.text);
    await turn.log.append({ type: 'message-delivered', messageId: message.messageId });
    delivered = true;
  }
  return delivered;
}
