import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ExportFile, FilePlace } from '@shared/attachments/attachment-inputs.ts';
import { maxFileBytes } from '@shared/attachments/attachment-text.ts';
import type { ChatEntry, ChatListing } from '@shared/attachments/chat-listing.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { base64OfFile } from './base64-of-file.ts';
import { pathOfFile } from './dropped-path.ts';

/** An export of a chat app that a person gave, to choose from. */
export interface ChatChoice {
  readonly file: File;
  readonly listing: ChatListing;
  /** Attaches some of them, each as a file of its own. */
  readonly take: (ids: readonly string[]) => void;
  /** Attaches the file as it is, where it is small enough for that; null: it is not. */
  readonly takeWhole: (() => void) | null;
  readonly close: () => void;
}

/** By its name. Whether it is one only its content says. */
export function mayBeExport({ name }: File): boolean {
  return /\.(?:json|zip)$/iu.test(name);
}

/** A file of any size where the host knows its path; in a browser it is sent, as far as that goes. */
export async function exportOf(file: File, place: FilePlace | null): Promise<ExportFile | null> {
  const path = pathOfFile(file);
  const where = place === null ? {} : { place };
  if (path !== null) return { name: file.name, path, ...where };
  return file.size > maxFileBytes ? null : { name: file.name, data: await base64OfFile(file), ...where };
}

/** What is chosen of an export. Rejects with a failure of the core. */
export function keepChats(
  client: CoreClient,
  source: ExportFile,
  ids: readonly string[],
): Promise<readonly Attachment[]> {
  return client.attachments.keepChats({ ...source, ids: [...ids] });
}

/** By every word that is typed, in titles and dates as they are shown. */
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
