import { hasImage } from '@shared/attachments/attachment-text.ts';
import { attachedParts } from '../prompt/attached-parts.ts';
import { isQuestion } from '@shared/text/task-kind.ts';
import type { Turn } from './turn.ts';

/** Shows the model the messages that arrived since the last check. True if there were any. */
export async function deliverMessages(turn: Turn): Promise<boolean> {
  let delivered = false;
  turn.log.check();
  for (let message = turn.dependencies.inbox.take(); message !== null; message = turn.dependencies.inbox.take()) {
    const attached = await attachedParts(turn.dependencies.journal, message.attachments);
    turn.prompt.conversation.noteMessage(message.messageId, message.text, attached);
    turn.given.hasImages ||= hasImage(message.attachments);
    // The mode `ask` also covers messages that arrive during the turn.
    turn.given.isQuestion &&= turn.options.mode === 'ask' || isQuestion(message.text);
    await turn.log.append({ type: 'message-delivered', messageId: message.messageId });
    delivered = true;
  }
  return delivered;
}
