import { hasImage } from '@shared/attachment-text.ts';
import { attachedParts } from './attached-parts.ts';
import { isQuestion } from './task-kind.ts';
import type { Turn } from './turn.ts';

/** Shows the model what the person has said since; true when there was something. */
export async function deliverMessages(turn: Turn): Promise<boolean> {
  let delivered = false;
  turn.log.check();
  for (let message = turn.services.inbox.take(); message !== null; message = turn.services.inbox.take()) {
    const attached = await attachedParts(turn.services.journal, message.attachments);
    turn.conversation.noteMessage(message.messageId, message.text, attached);
    turn.given.hasImages ||= hasImage(message.attachments);
    turn.given.isQuestion &&= isQuestion(message.text);
    await turn.log.append({ type: 'message-delivered', messageId: message.messageId });
    delivered = true;
  }
  return delivered;
}
