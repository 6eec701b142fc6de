import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fromBufferPromise, openPromise } from 'yauzl';
import type { ZipFile } from 'yauzl';
import type { ChatEntry, ChatListing } from '@shared/attachments/chat-listing.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Conversation } from './chat-text.ts';
import { conversationOf, conversationText } from './chat-text.ts';
import { jsonElements } from './json-elements.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

/** A file on this machine, or the bytes that a page has of one. */
export type ExportSource = ({ readonly path: string } | { readonly bytes: Uint8Array }) & {
  /** The most that is read, after unpacking. For tests. */
  readonly mostBytes?: number;
};

/** Nobody could choose from a longer list. */
const mostConversations = 50_000;
/** Years of conversation fit into this size. A larger one was made to fill the memory. */
const mostConversationBytes = 64 * 1024 * 1024;
/** Most bytes read of one export, unpacked. Years of chats are a few hundred MB. This much takes about a minute. */
const mostExportBytes = 2_000_000_000;
/** A file whose first objects, this many, are not conversations is not an export. */
const triedObjects = 50;

interface FoundConversation {
  readonly id: string;
  readonly conversation: Conversation;
}

/** The conversations in the data export of a chat app, newest first. Null: the file is not an export. */
export async function listChats(source: ExportSource, signal: AbortSignal): Promise<ChatListing | null> {
  const found: ChatEntry[] = [];
  let unread = 0;
  for await (const one of conversationsOf(source, signal)) {
    if (one === null) unread += 1;
    else if (found.length < mostConversations) found.push(entryOf(one));
    if (found.length === 0 && unread >= triedObjects) return null;
  }
  if (found.length === 0) return null;
  return { unread, conversations: found.sort((one, other) => (other.changedMs ?? 0) - (one.changedMs ?? 0)) };
}

/** The texts of the conversations with these ids, in their order. Rejects with `conflict` if one is missing. */
export async function readChats(
  source: ExportSource,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly { readonly title: string; readonly text: string }[]> {
  const texts = new Map<string, { readonly title: string; readonly text: string }>();
  for await (const one of conversationsOf(source, signal)) {
    if (one === null || !ids.includes(one.id)) continue;
    texts.set(one.id, { title: one.conversation.title, text: `${conversationText(one.conversation)}\n` });
    if (texts.size === ids.length) break;
  }
  return ids.map((id) => {
    const text = texts.get(id);
    if (text !== undefined) return text;
    throw new AppError('conflict', 'The export has changed since its list was read. Nothing was attached.', {
      hint: 'Attach the file again.',
    });
  });
}

function entryOf({ id, conversation }: FoundConversation): ChatEntry {
  const { title, app, startedMs, changedMs, messages } = conversation;
  const bytes = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return { id, title, app, startedMs, changedMs, messages: messages.length, bytes };
}

/** Null for an object that is not a conversation. Conversations without text are left out. */
async function* conversationsOf(source: ExportSource, signal: AbortSignal): AsyncGenerator<FoundConversation | null> {
  for await (const text of objectsOf(source, signal)) {
    signal.throwIfAborted();
    const conversation = text === null ? null : conversationIn(text);
    if (conversation !== null && conversation.messages.length === 0) continue;
    yield conversation === null || text === null ? null : { id: idOf(text), conversation };
  }
}

function idOf(text: string): string {
  return sha256Of(text).slice(0, 24);
}

function conversationIn(text: string): Conversation | null {
  try {
    return conversationOf(JSON.parse(text));
  } catch {
    // Invalid JSON.
    return null;
  }
}

async function* objectsOf(source: ExportSource, signal: AbortSignal): AsyncGenerator<string | null> {
  const claim = claiming(source.mostBytes ?? mostExportBytes);
  if (!(await isZip(source))) {
    claim('path' in source ? (await stat(source.path)).size : source.bytes.length);
    const pieces = 'path' in source ? createReadStream(source.path, { signal }) : Readable.from([source.bytes]);
    yield* jsonElements(bytesOf(pieces, signal), mostConversationBytes);
    return;
  }
  const zip = await openZip(source);
  try {
    for await (const entry of zip.eachEntry()) {
      if (!/(?:^|\/)conversations[^/]*\.json$/iu.test(entry.fileName)) continue;
      // The directory of the archive states the unpacked size, and the stream never returns more.
      claim(entry.uncompressedSize);
      const pieces = await zip.openReadStreamPromise(entry);
      yield* jsonElements(bytesOf(pieces, signal), mostConversationBytes);
      // In case the reading stopped before the end.
      pieces.destroy();
    }
  } catch (error) {
    throw asUnreadable(error);
  } finally {
    zip.close();
  }
}

function openZip(source: ExportSource): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false } as const;
  const opened =
    'path' in source
      ? openPromise(source.path, options)
      : fromBufferPromise(Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.length), options);
  return opened.catch((error: unknown) => {
    throw asUnreadable(error);
  });
}

function asUnreadable(error: unknown): unknown {
  if (error instanceof AppError || (error instanceof Error && error.name === 'AbortError')) return error;
  return new AppError('bad-input', `The archive cannot be read: ${messageOf(error)}. Nothing was attached.`, {
    hint: 'Unpack it, then attach conversations.json.',
  });
}

/** Adds up what is about to be read, and rejects before reading if it is too much. */
function claiming(mostBytes: number): (bytes: number) => void {
  let claimed = 0;
  return (bytes) => {
    claimed += bytes;
    if (claimed <= mostBytes) return;
    throw new AppError(
      'too-large',
      `The export has more than ${sizeText(mostBytes)} of conversations. Nothing was attached.`,
      {
        hint: 'Unpack it, and attach one of its conversations files, or export a shorter time.',
      },
    );
  };
}

async function* bytesOf(pieces: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    if (piece instanceof Uint8Array) yield piece;
  }
}

/** Checks the first bytes. Rejects for anything but a regular file, such as a pipe, which might never end. */
async function isZip(source: ExportSource): Promise<boolean> {
  if ('bytes' in source) return isZipHead(source.bytes);
  return askDrive(source.path, () => isZipThere(source.path));
}

async function isZipThere(path: string): Promise<boolean> {
  const facts = await stat(path).catch((error: unknown) => {
    throw new AppError('not-found', `The file cannot be read: ${messageOf(error)}`);
  });
  if (!facts.isFile()) throw new AppError('bad-input', 'That is not a file.');
  const file = await open(path);
  try {
    const head = Buffer.alloc(4);
    await file.read(head, 0, 4, 0);
    return isZipHead(head);
  } finally {
    await file.close();
  }
}

function isZipHead(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04;
}
