import { extname } from 'node:path';
import type { DownloadPiece, ReadableForm } from '@shared/contract/session-download.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import { conversationFilter } from '@shared/session/restore-state.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Blobs } from '../../blobs/blob-store.ts';
import { pauses } from '../../../lib/async/pauses.ts';
import { diffFiles } from '../../changes/file-diff.ts';
import { writeWhole } from '../packed-log.ts';
import { callAsLine } from './follow-calls.ts';
import { loadFormulas } from './prose-html.ts';
import { readTalk, type TalkItem } from './read-talk.ts';
import { talkAsMarkdown, talkAsPage, type TalkChange } from './write-talk.ts';

/** The forms for readers and other programs, by the ending of the file. */
const forms = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'page',
  '.htm': 'page',
  '.jsonl': 'calls',
} as const satisfies Readonly<Record<string, ReadableForm>>;

/** Null: the ending names no such form, and the file is one to import again. */
export function readableFormOf(path: string): ReadableForm | null {
  return Object.entries(forms).find(([ending]) => ending === extname(path).toLowerCase())?.[1] ?? null;
}

interface ReadableExport {
  readonly form: ReadableForm;
  readonly state: Pick<SessionState, 'title' | 'changes' | 'restores'>;
  /** As far as `state`. */
  readonly events: AsyncIterable<SessionEvent>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** Other branches of the talk, which are not in the file. */
  readonly branches: number;
}

/** How many stored files were read, and how many are gone. Right once all pieces were read. */
interface StoredFiles {
  readonly blobs: number;
  readonly missing: number;
}

/** Writes the session as a text of that form. */
export async function exportReadable(path: string, talk: ReadableExport, signal: AbortSignal): Promise<StoredFiles> {
  const { pieces, count } = await readablePieces(talk, signal);
  await writeWhole(path, { pieces, isPacked: false }, signal);
  return count;
}

/** Far below what a message between processes may hold. */
const messageLength = 1024 * 1024;

/** The same text as messages for a page. Each ends with a line, so that no path of this machine is cut in two. */
export async function* readableMessages(talk: ReadableExport, signal: AbortSignal): AsyncGenerator<DownloadPiece> {
  const { pieces, count } = await readablePieces(talk, signal);
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const line = piece.length - at <= messageLength ? -1 : piece.indexOf('\n', at + messageLength);
      const end = line < 0 ? piece.length : line + 1;
      yield { type: 'text', text: piece.slice(at, end) };
      at = end;
    }
  }
  yield { type: 'end', missing: count.missing, branches: talk.branches };
}

/**
 * What a restore took out of the conversation is no part of it for readers. Its calls are among the calls, because they
 * were made.
 */
async function readablePieces(
  { form, state, events, blobs, branches }: ReadableExport,
  signal: AbortSignal,
): Promise<{ readonly pieces: AsyncGenerator<string>; readonly count: StoredFiles }> {
  const items = await readTalk(events, form === 'calls' ? () => true : conversationFilter(state.restores));
  const count = { blobs: 0, missing: 0 };
  const bytesOf = async (ref: Parameters<Blobs['get']>[0]): Promise<Uint8Array | null> => {
    signal.throwIfAborted();
    const bytes = await blobs.get(ref);
    if (bytes === null) count.missing += 1;
    else count.blobs += 1;
    return bytes;
  };
  const pieces =
    form === 'calls' ? callLines(items, bytesOf) : wholeTalk({ form, state, items, branches }, bytesOf, signal);
  return { pieces, count };
}

async function* callLines(items: readonly TalkItem[], bytesOf: BytesOf): AsyncGenerator<string> {
  for (const item of items) {
    if (item.type === 'call') yield await callAsLine(item.call, bytesOf);
  }
}

interface WholeTalk extends Pick<ReadableExport, 'state' | 'branches'> {
  readonly form: Exclude<ReadableForm, 'calls'>;
  readonly items: readonly TalkItem[];
}

/** The same text in fewer pieces. Others of this process have their turn in between. */
async function* inSteps(pieces: Iterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  const pause = pauses(signal);
  let text = '';
  for (const piece of pieces) {
    text += piece;
    await pause();
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
  }
  yield text;
}

const pieceLength = 64 * 1024;

async function* wholeTalk(
  { form, state, items, branches }: WholeTalk,
  bytesOf: BytesOf,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const talk = { title: state.title, branches, items, changes: await changesOf(state.changes, bytesOf) };
  if (form === 'markdown') yield talkAsMarkdown(talk);
  else
    yield* inSteps(
      talkAsPage(talk, { pictures: await picturesOf(items, bytesOf), draw: (await loadFormulas())() }),
      signal,
    );
}

type BytesOf = (ref: Parameters<Blobs['get']>[0]) => Promise<Uint8Array | null>;

/** The pictures that the person gave, as addresses that hold the bytes. */
async function picturesOf(items: readonly TalkItem[], bytesOf: BytesOf): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { picture } of items.flatMap((item) => (item.type === 'message' ? item.files : []))) {
    if (picture === null || found.has(picture.blob.sha256)) continue;
    const bytes = await bytesOf(picture.blob);
    if (bytes === null) continue;
    found.set(picture.blob.sha256, `data:${picture.mediaType};base64,${Buffer.from(bytes).toString('base64')}`);
  }
  return found;
}

async function changesOf(changes: SessionState['changes'], bytesOf: BytesOf): Promise<readonly TalkChange[]> {
  const all: TalkChange[] = [];
  for (const { path, before, after } of changes) {
    const [left, right] = [await sideOf(before, bytesOf), await sideOf(after, bytesOf)];
    if (left === 'unknown' || right === 'unknown') all.push({ path, diff: null, note: 'Its content was not kept.' });
    else {
      const { text, note } = diffFiles(path, left, right);
      all.push({ path, diff: text, note });
    }
  }
  return all;
}

async function sideOf(image: FileImage, bytesOf: BytesOf): Promise<Uint8Array | null | 'unknown'> {
  if (image === null) return null;
  if (!image.kept) return 'unknown';
  return (await bytesOf(image.blob)) ?? 'unknown';
}
