import type { Attachment } from '@shared/attachments/attachment.ts';

/** A message that arrived while a turn was running. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
}
