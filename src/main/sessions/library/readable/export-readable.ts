import { open, rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { Blobs } from '../../blobs/blob-store.ts';
import { diffFiles } from '../../changes/file-diff.ts';
import type { SessionView } from '../../store/session-view.ts';
import { readTalk } from './read-talk.ts';
import { callAsLine, talkAsMarkdown, talkAsPage, type TalkChange } from './write-talk.ts';

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
  readonly view: Pick<SessionView, 'state' | 'read'>;
  readonly blobs: Pick<Blobs, 'get'>;
}

/** Writes the session as a text of that form. `missing` counts stored files that are gone. */
export async function exportReadable(
  { path, form, view, blobs }: ReadableExport,
  signal: AbortSignal,
): Promise<{ readonly blobs: number; readonly missing: number }> {
  const items = await readTalk(view.read());
  const count = { blobs: 0, missing: 0 };
  const bytesOf = async (ref: Parameters<Blobs['get']>[0]): Promise<Uint8Array | null> => {
    signal.throwIfAborted();
    const bytes = await blobs.get(ref);
    if (bytes === null) count.missing += 1;
    else count.blobs += 1;
    return bytes;
  };
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    if (form === 'calls') {
      for (const item of items) {
        if (item.type !== 'call') continue;
        const whole = item.call.full === null ? null : await bytesOf(item.call.full);
        const output = whole === null ? item.call.output : Buffer.from(whole).toString('utf8');
        await file.writeFile(callAsLine(item.call, output));
      }
    } else {
      const changes = await changesOf(view.state.changes, bytesOf);
      const talk = { title: view.state.title, items, changes };
      await file.writeFile(form === 'page' ? talkAsPage(talk) : talkAsMarkdown(talk));
    }
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
  return count;
}

type BytesOf = (ref: Parameters<Blobs['get']>[0]) => Promise<Uint8Array | null>;

async function changesOf(
  changes: ReadableExport['view']['state']['changes'],
  bytesOf: BytesOf,
): Promise<readonly TalkChange[]> {
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
