import { isSameImage } from '@shared/session/file-change-state.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { FileImage, HunkChoices } from '@shared/events/tool-events.ts';
import { diffFiles, type FileDiff } from './file-diff.ts';
import type { Journal } from '../journal/journal.ts';
import { changedSince, type FileBlobs, mergeImages, withMode } from './merge-images.ts';
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

/** What a file was, and what it is now. `isMerged`: it holds what somebody else changed in it since. */
export interface PlacedFile {
  readonly from: FileImage;
  readonly to: FileImage;
  readonly isMerged: boolean;
}

interface Placing extends Pick<Move, 'from' | 'to'> {
  readonly path: string;
  /** What somebody else changed in the file since `from` stays in it. Otherwise such a file is refused. */
  readonly merges: boolean;
  /** Asked before anything is written. A string refuses. */
  readonly check?: (placed: PlacedFile) => Promise<string | null>;
}

/** Changes the file from `from` to `to`. A string says why it was left as it is. */
export async function placeFile(
  journal: ReadJournal & FileBlobs,
  folder: SafeFolder,
  placing: Placing,
): Promise<PlacedFile | string> {
  const { path, from, to } = placing;
  if (path.includes('\uFFFD')) return 'its name is not UTF-8 text';
  // What was not kept can be replaced by what was, but it is not removed: it could never come back.
  if ((to !== null && !to.kept) || (from !== null && !from.kept && (to === null || from.seen === undefined)))
    return 'its content was not kept';
  const { now, bytes: found } = await folder.read(path);
  // Already done, but not recorded: the program ended in between.
  if (matchesImage(now, to) && hasMode(now, to)) return { from, to, isMerged: false };
  const placed = await planPlace(journal, now, found, placing);
  if (typeof placed === 'string') return placed;
  const problem = (await placing.check?.(placed)) ?? null;
  if (problem !== null) return problem;
  const isExpected = (other: FileNow): boolean =>
    placed.isMerged && now.type === 'file'
      ? other.type === 'file' && other.sha256 === now.sha256
      : matchesImage(other, from);
  const target = placed.to;
  if (target === null || !target.kept) return (await folder.remove(path, isExpected)) ? placed : 'it changed just now';
  if (isSameImage(placed.from, target)) return placed;
  const bytes = await journal.getBlob(target.blob);
  if (bytes === null) return 'its stored content is missing or damaged';
  return (await folder.write(path, { bytes, mode: target.mode }, isExpected)) ? placed : 'it changed just now';
}

async function planPlace(
  blobs: FileBlobs,
  now: FileNow,
  bytes: Uint8Array | null,
  { from, to, merges }: Placing,
): Promise<PlacedFile | string> {
  if (matchesImage(now, from)) {
    if (!merges || now.type !== 'file' || from?.kept !== true || hasMode(now, from))
      return { from, to, isMerged: false };
    const image = { ...from, mode: now.mode & 0o777 };
    return { from: image, to: withMode(image, { from, to }), isMerged: false };
  }
  if (!merges || now.type !== 'file' || bytes === null) return refusal(now, from);
  const image: FileImage = { kept: true, blob: await blobs.putBlob(bytes), mode: now.mode & 0o777 };
  const merged = await mergeImages(blobs, to, { from, to: image });
  return typeof merged === 'string' ? refusal(now, from) : { from: image, to: merged.image, isMerged: true };
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
  return from === null ? 'a file with this name exists now' : changedSince;
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
