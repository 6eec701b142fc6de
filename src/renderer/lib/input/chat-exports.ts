import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ExportFile, FilePlace } from '@shared/attachments/attachment-inputs.ts';
import { maxFileBytes } from '@shared/attachments/attachment-text.ts';
import type { ChatEntry, ChatListing } from '@shared/attachments/chat-listing.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { base64OfFile } from './base64-of-file.ts';
import { pathOfFile } from './dropped-path.ts';

/** A chat app's export that the user attached, to choose conversations from. */
export interface ChatChoice {
  readonly file: File;
  readonly listing: ChatListing;
  /** Attaches some conversations, each as its own file. */
  readonly take: (ids: readonly string[]) => void;
  /** Attaches the whole file; null when it is too large for that. */
  readonly takeWhole: (() => void) | null;
  readonly close: () => void;
}

/** Judged by its name. Only the content shows whether it is an export. */
export function mayBeExport({ name }: File): boolean {
  return /\.(?:json|zip)$/iu.test(name);
}

/** A file of any size if the host knows its path. In a browser its content is sent, up to a limit. */
export async function exportOf(file: File, place: FilePlace | null): Promise<ExportFile | null> {
  const path = pathOfFile(file);
  const where = place === null ? {} : { place };
  if (path !== null) return { name: file.name, path, ...where };
  return file.size > maxFileBytes ? null : { name: file.name, data: await base64OfFile(file), ...where };
}

/** Stores the chosen conversations. Rejects with a failure of the core. */
export function keepChats(
  client: CoreClient,
  source: ExportFile,
  ids: readonly string[],
): Promise<readonly Attachment[]> {
  return client.attachments.keepChats({ ...source, ids: [...ids] });
}

/** Searches titles and dates, as they are shown, for every typed word. */
export function foundChats(
  conversations: readonly ChatEntry[],
  typed: string,
  dateOf: (chat: ChatEntry) => string,
): readonly ChatEntry[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return conversations;
  return conversations.filter((chat) => {
    const text = `${chat.title} ${dateOf(chat)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
