import { hasImage } from '@shared/attachments/attachment-text.ts';
import { attachedParts } from '../prompt/attached-parts.ts';
import { isQuestion } from '@shared/text/task-kind.ts';
import type { Turn } from './turn.ts';

/** Shows the model what the person has said since; true when there was something. */
export async function deliverMessages(turn: Turn): Promise<boolean> {
  const { conduct = 1 } = turn.dependencies.config;
  let delivered = false;
  turn.log.check();
  for (let message = turn.dependencies.inbox.take(); message !== null; message = turn.dependencies.inbox.take()) {
    const attached = await attachedParts(turn.dependencies.journal, message.attachments);
    turn.conversation.noteMessage(message.messageId, message.text, attached);
    turn.given.hasImages ||= hasImage(message.attachments);
    // Who has chosen to ask has chosen it for what comes meanwhile, too.
    turn.given.isQuestion &&= turn.options.mode === 'ask' || isQuestion(message.text, conduct);
    await turn.log.append({ type: 'message-delivered', messageId: message.messageId });
    delivered = true;
  }
  return delivered;
}
