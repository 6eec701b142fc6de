import { neverAborts } from '../../lib/async/abort.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { MessageAttachments } from './message-attachments.ts';

/** Handlers for files that users attach to messages. */
export function createAttachmentCommands({
  keep,
  chats,
  keepChats,
  read,
  find,
  resources,
  keepResource,
  prompts,
  takePrompt,
  preview,
}: MessageAttachments): Handlers['attachments'] {
  return {
    keep: ({ input }) => keep(input),
    chats: ({ input, signal }) => chats(input, signal ?? neverAborts),
    keepChats: ({ input, signal }) => keepChats(input, input.ids, signal ?? neverAborts),
    preview: ({ input, signal }) => preview(input, signal ?? neverAborts),
    read: ({ input }) => read(input.blob),
    resources: ({ input }) => resources(input.place, input),
    keepResource: ({ input: { place, ...from }, signal }) => keepResource(place, from, signal ?? neverAborts),
    prompts: ({ input }) => prompts(input.place),
    takePrompt: ({ input: { place, ...asked }, signal }) => takePrompt(place, asked, signal ?? neverAborts),
    find: ({ input, signal }) => find(input.place, input, signal ?? neverAborts),
  };
}
