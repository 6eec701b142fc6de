import type { FileImage } from '@shared/events/tool-events.ts';
import { isSameContent, isSameImage } from '@shared/session/file-change-state.ts';
import type { LoggedMove } from './changes-in-log.ts';
import { type FileBlobs, mergeImages, withMode } from './merge-images.ts';
import { matchesImage } from './move-file.ts';
import type { FileNow, SafeFolder } from './safe-folder.ts';

/** What a restore does to one file. `same`: it already is as it should be. */
export type FilePlan =
  | { readonly type: 'same' }
  | { readonly type: 'kept'; readonly why: string }
  | { readonly type: 'move'; readonly from: FileImage; readonly to: FileImage; readonly isMerged: boolean };

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
    const { before: to, after: from } = move;
    const isThat = index === 0 ? matchesImage(now, from) : isSameContent(image, from);
    if (isThat) {
      image = withMode(image, { from, to });
      continue;
    }
    const merged = await mergeImages(blobs, image, { from, to });
    if (typeof merged === 'string') return merged;
    isMerged = isMerged || !isSameContent(merged.image, move.before);
    image = merged.image;
  }
  return { image, isMerged };
}
