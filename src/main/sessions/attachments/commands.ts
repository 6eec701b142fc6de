import { neverAborts } from '../../lib/async/abort.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { MessageAttachments } from './message-attachments.ts';

/** The commands about files that persons give with messages. */
export function createAttachmentCommands({ keep, read, find, preview }: MessageAttachments): Handlers['attachments'] {
  return {
    keep: ({ input }) => keep(input),
    preview: ({ input, signal }) => preview(input, signal ?? neverAborts),
    read: ({ input }) => read(input.blob),
    find: ({ input, signal }) => find(input.place, input, signal ?? neverAborts),
  };
}
