import type { Handlers } from '../../server/handlers.ts';
import type { MessageAttachments } from './message-attachments.ts';

/** The commands about files that persons give with messages. */
export function createAttachmentCommands({ keep, read, find }: MessageAttachments): Handlers['attachments'] {
  return {
    keep: ({ input }) => keep(input),
    read: ({ input }) => read(input.blob),
    find: ({ input }) => find(input.place, input),
  };
}
