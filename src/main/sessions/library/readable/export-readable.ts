import { extname } from 'node:path';
import type { SessionEvent } from '@shared/events/events.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import { conversationFilter } from '@shared/session/restore-state.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Blobs } from '../../blobs/blob-store.ts';
import { diffFiles } from '../../changes/file-diff.ts';
import { writeWhole } from '../packed-log.ts';
import { callAsLine } from './follow-calls.ts';
import { readTalk, type TalkItem } from './read-talk.ts';
import { talkAsMarkdown, talkAsPage, type TalkChange } from './write-talk.ts';

/** The forms for readers and other programs, by the ending of the file. */
const forms = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'page',
  '.htm': 'page',
  '.jsonl': 'calls',
} as const;
type Form = (typeof forms)[keyof typeof forms];

/** Null: the ending names no such form, and the file is one to import again. */
export function readableForm(path: string): Form | null {
  return Object.entries(forms).find(([ending]) => ending === extname(path).toLowerCase())?.[1] ?? null;
}

interface ReadableExport {
  readonly path: string;
  readonly form: Form;
  readonly state: Pick<SessionState, 'title' | 'changes' | 'restores'>;
  /** As far as `state`. */
  readonly events: AsyncIterable<SessionEvent>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** Other branches of the talk, which are not in the file. */
  readonly branches: number;
}

/**
 * Writes the session as a text of that form. `missing` counts stored files that are gone. What a restore took out of the
 * conversation is no part of it for readers. Its calls are among the calls, because they were made.
 */
export async function exportReadable(
  { path, form, state, events, blobs, branches }: ReadableExport,
  signal: AbortSignal,
): Promise<{ readonly blobs: number; readonly missing: number }> {
  const items = await readTalk(events, form === 'calls' ? () => true : conversationFilter(state.restores));
  const count = { blobs: 0, missing: 0 };
  const bytesOf = async (ref: Parameters<Blobs['get']>[0]): Promise<Uint8Array | null> => {
    signal.throwIfAborted();
    const bytes = await blobs.get(ref);
    if (bytes === null) count.missing += 1;
    else count.blobs += 1;
    return bytes;
  };
  const pieces = form === 'calls' ? callLines(items, bytesOf) : wholeTalk({ form, state, items, branches }, bytesOf);
  await writeWhole(path, { pieces, isPacked: false }, signal);
  return count;
}

async function* callLines(items: readonly TalkItem[], bytesOf: BytesOf): AsyncGenerator<string> {
  for (const item of items) {
    if (item.type === 'call') yield await callAsLine(item.call, bytesOf);
  }
}

interface WholeTalk extends Pick<ReadableExport, 'state' | 'branches'> {
  readonly form: Exclude<Form, 'calls'>;
  readonly items: readonly TalkItem[];
}

async function* wholeTalk({ form, state, items, branches }: WholeTalk, bytesOf: BytesOf): AsyncGenerator<string> {
  const talk = { title: state.title, branches, items, changes: await changesOf(state.changes, bytesOf) };
  yield form === 'page' ? talkAsPage(talk, await picturesOf(items, bytesOf)) : talkAsMarkdown(talk);
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
