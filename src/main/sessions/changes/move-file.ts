import { isSameImage } from '@shared/session/file-change-state.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { FileImage, HunkChoices } from '@shared/events/tool-events.ts';
import { diffFiles, type FileDiff } from './file-diff.ts';
import type { Journal } from '../journal/journal.ts';
import type { FileNow, SafeFolder } from './safe-folder.ts';

export type ReadJournal = Pick<Journal, 'state' | 'read' | 'getBlob'>;

/** Changes one file from one image to another. */
export interface Move {
  readonly from: FileImage;
  readonly to: FileImage;
  readonly undoes: readonly number[];
  readonly hunks?: HunkChoices;
}

/** The clock of a file system may be ahead by a tick. */
const tickMs = 20;

/** Changes the file to `to` if it matches `from`. Null if it now matches `to`, else the reason. */
export async function putImage(
  journal: ReadJournal,
  folder: SafeFolder,
  move: Pick<Move, 'from' | 'to'> & { readonly path: string },
): Promise<string | null> {
  const { path, from, to } = move;
  if (path.includes('\uFFFD')) return 'its name is not UTF-8 text';
  // What was not kept can be replaced by what was, but it is not removed: it could never come back.
  if ((to !== null && !to.kept) || (from !== null && !from.kept && (to === null || from.seen === undefined)))
    return 'its content was not kept';
  const now = await folder.look(path);
  // Already done, but not recorded: the program ended in between.
  if (matchesImage(now, to) && hasMode(now, to)) return null;
  if (!matchesImage(now, from)) return refusal(now, from);
  const isExpected = (found: FileNow): boolean => matchesImage(found, from);
  if (to === null) return (await folder.remove(path, isExpected)) ? null : 'it changed just now';
  const bytes = await journal.getBlob(to.blob);
  if (bytes === null) return 'its stored content is missing or damaged';
  return (await folder.write(path, { bytes, mode: to.mode }, isExpected)) ? null : 'it changed just now';
}

export function matchesImage(now: FileNow, image: FileImage): boolean {
  if (image === null) return now.type === 'missing';
  if (now.type !== 'file') return false;
  if (image.kept) return now.sha256 === image.blob.sha256;
  return (
    image.seen !== undefined && now.sizeBytes === image.seen.sizeBytes && now.touchedAtMs <= image.seen.at + tickMs
  );
}

export function hasMode(now: FileNow, image: FileImage): boolean {
  if (now.type !== 'file' || !image?.kept || process.platform === 'win32') return true;
  return (now.mode & 0o777) === (image.mode & 0o777);
}

function refusal(now: FileNow, from: FileImage): string {
  if (now.type === 'other') return `it is ${now.what} now`;
  if (now.type === 'missing') return 'it was deleted or renamed since';
  return from === null ? 'a file with this name exists now' : 'it was changed since';
}

export async function recordMove(
  journal: Journal,
  path: string,
  move: Move,
  by: 'undo' | 'take',
): Promise<SessionEvent> {
  const { from: before, to: after, undoes, hunks } = move;
  const { added, removed } = await diffImages(journal, path, before, after);
  return journal.append({
    type: 'file-changed',
    path,
    before,
    after,
    by,
    toolCallId: null,
    added,
    removed,
    undoes: [...undoes],
    ...(hunks === undefined ? {} : { hunks }),
  });
}

export async function diffImages(
  journal: Pick<ReadJournal, 'getBlob'>,
  path: string,
  before: FileImage,
  after: FileImage,
): Promise<FileDiff> {
  const unknown = (note: string): FileDiff => ({ text: null, added: null, removed: null, note });
  for (const image of [before, after]) if (image !== null && !image.kept) return unknown(`not kept: ${image.why}`);
  if (isSameImage(before, after)) return { text: '', added: 0, removed: 0, note: null };
  const left = before?.kept ? await journal.getBlob(before.blob) : null;
  const right = after?.kept ? await journal.getBlob(after.blob) : null;
  if ((before !== null && left === null) || (after !== null && right === null))
    return unknown('its stored content is missing or damaged');
  const diff = diffFiles(path, left, right);
  // A diff shows no modes, and a file that became executable is worth noticing.
  const isOtherMode = before?.kept && after?.kept && before.mode !== after.mode && diff.note === null;
  return isOtherMode ? { ...diff, note: `mode ${before.mode.toString(8)} to ${after.mode.toString(8)}` } : diff;
}
