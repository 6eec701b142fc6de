import type { FileImage } from '@shared/events/tool-events.ts';
import { isSameContent, isSameImage } from '@shared/session/file-change-state.ts';
import { encodeLike, wholeText } from '../../lib/files/file-text.ts';
import { mergeTexts } from '../../lib/merge-texts.ts';
import type { Journal } from '../journal/journal.ts';
import type { LoggedMove } from './changes-in-log.ts';
import { matchesImage } from './move-file.ts';
import type { FileNow, SafeFolder } from './safe-folder.ts';

/** Where the bytes of files are kept. */
export type FileBlobs = Pick<Journal, 'getBlob' | 'putBlob'>;

/** What a restore does to one file. `same`: it already is as it should be. */
export type FilePlan =
  | { readonly type: 'same' }
  | { readonly type: 'kept'; readonly why: string }
  | { readonly type: 'move'; readonly from: FileImage; readonly to: FileImage; readonly isMerged: boolean };

/** Larger texts are not merged. */
const mergedBytes = 1024 * 1024;

/**
 * Plans to take the moves of one file back, latest first. What somebody else changed in it since stays: it is merged, or
 * if that is not possible, the whole file is kept. `replaces`: such a file becomes what it was before the first move.
 */
export async function planFile(
  blobs: FileBlobs,
  folder: SafeFolder,
  path: string,
  { moves, replaces }: { readonly moves: readonly LoggedMove[]; readonly replaces: boolean },
): Promise<FilePlan> {
  if (path.includes('\uFFFD')) return { type: 'kept', why: 'its name is not UTF-8 text' };
  const { now, bytes } = await folder.read(path);
  if (now.type === 'other') return { type: 'kept', why: `it is ${now.what} now` };
  if (now.type === 'file' && bytes === null) return { type: 'kept', why: 'it is too large, or may not be read' };
  const from: FileImage =
    now.type === 'missing' || bytes === null
      ? null
      : { kept: true, blob: await blobs.putBlob(bytes), mode: now.mode & 0o777 };
  const back = await takenBack(blobs, { now, from }, moves);
  if (typeof back !== 'string') return planMove(from, back.image, back.isMerged);
  const first = moves[0]?.before ?? null;
  return replaces ? planMove(from, first, false) : { type: 'kept', why: back };
}

function planMove(from: FileImage, to: FileImage, isMerged: boolean): FilePlan {
  if (isSameImage(from, to)) return { type: 'same' };
  if (to !== null && !to.kept) return { type: 'kept', why: 'its content was not kept' };
  return { type: 'move', from, to, isMerged };
}

interface Back {
  readonly image: FileImage;
  readonly isMerged: boolean;
}

/** The file without the moves, or why it cannot be told. */
async function takenBack(
  blobs: FileBlobs,
  { now, from }: { readonly now: FileNow; readonly from: FileImage },
  moves: readonly LoggedMove[],
): Promise<Back | string> {
  let image = from;
  let isMerged = false;
  for (const [index, move] of moves.toReversed().entries()) {
    const isThat = index === 0 ? matchesImage(now, move.after) : isSameContent(image, move.after);
    if (isThat) {
      image = withMode(move, image);
      continue;
    }
    const merged = await mergeImages(blobs, image, move);
    if (typeof merged === 'string') return merged;
    isMerged = isMerged || !isSameContent(merged.image, move.before);
    image = merged.image;
  }
  return { image, isMerged };
}

/** The file before a move, with the mode that somebody else gave it since. */
function withMode({ before, after }: LoggedMove, image: FileImage): FileImage {
  if (!before?.kept || !after?.kept || !image?.kept || image.mode === after.mode) return before;
  return process.platform === 'win32' ? before : { ...before, mode: image.mode };
}

const changedSince = 'it was changed since';

async function mergeImages(
  blobs: FileBlobs,
  image: FileImage,
  move: LoggedMove,
): Promise<{ readonly image: FileImage } | string> {
  const { before, after } = move;
  if (isSameContent(image, before)) return { image };
  if (image === null) return 'it was deleted or renamed since';
  if (after === null) return 'a file with this name exists now';
  if (!image.kept || !before?.kept || !after.kept) return changedSince;
  const mode = image.mode === after.mode ? before.mode : image.mode;
  if (isSameContent(before, after)) return { image: { ...image, mode } };
  const texts = [await textOf(blobs, after), await textOf(blobs, image), await textOf(blobs, before)] as const;
  const [base, ours, theirs] = texts;
  if (base === null || ours === null || theirs === null) return changedSince;
  if (new Set(texts.map((one) => one?.encoding)).size > 1) return changedSince;
  const text = mergeTexts(base.text, ours.text, theirs.text);
  const made = text === null ? null : encodeLike(ours, text);
  if (made === null || !made.ok) return changedSince;
  return { image: { kept: true, blob: await blobs.putBlob(made.bytes), mode } };
}

async function textOf(
  blobs: FileBlobs,
  { blob }: Extract<FileImage, { kept: true }>,
): Promise<ReturnType<typeof wholeText>> {
  if (blob.bytes > mergedBytes) return null;
  const bytes = await blobs.getBlob(blob);
  return bytes === null ? null : wholeText(bytes);
}
