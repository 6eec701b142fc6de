import type { FileImage } from '@shared/events/tool-events.ts';
import { type ChangeState, isSameContent, leftByUndo, type OtherChange } from '@shared/session/file-change-state.ts';
import { textsInOneForm } from '../../lib/files/file-text.ts';
import { mergeTexts } from '../../lib/merge-texts.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Journal } from '../journal/journal.ts';

/** Where the bytes of files are kept. */
export type FileBlobs = Pick<Journal, 'getBlob' | 'putBlob'>;

/** Larger texts are not merged. */
const mergedBytes = 1024 * 1024;

/** What a change leads to, with the mode that somebody else gave the file since. */
export function withMode(image: FileImage, { from, to }: OtherChange): FileImage {
  if (!to?.kept || !from?.kept || !image?.kept || image.mode === from.mode) return to;
  return process.platform === 'win32' ? to : { ...to, mode: image.mode };
}

export const changedSince = 'it was changed since';

/** A version of a file with a change that was made to another version of it, or why they do not fit together. */
export async function mergeImages(
  blobs: FileBlobs,
  image: FileImage,
  { from, to }: OtherChange,
): Promise<{ readonly image: FileImage } | string> {
  if (isSameContent(image, to)) return { image };
  if (image === null) return 'it was deleted or renamed since';
  if (from === null) return 'a file with this name exists now';
  if (!image.kept || !to?.kept || !from.kept) return changedSince;
  const mode = image.mode === from.mode ? to.mode : image.mode;
  if (isSameContent(to, from)) return { image: { ...image, mode } };
  const versions = await Promise.all([from, image, to].map((one) => bytesOf(blobs, one)));
  const together = textsInOneForm(versions.flatMap((bytes) => bytes ?? []));
  const [base, ours, theirs] = together?.texts ?? [];
  if (together === null || base === undefined || ours === undefined || theirs === undefined) return changedSince;
  const text = mergeTexts(base, ours, theirs);
  if (text === null) return changedSince;
  return { image: { kept: true, blob: await blobs.putBlob(together.encode(text)), mode } };
}

/**
 * The file as it would be without the changes of the session: what it began with, and what somebody else changed in it
 * since. Null: both changed the same lines, or a content was not kept.
 */
export async function fileWithoutChanges(
  blobs: FileBlobs,
  change: Pick<ChangeState, 'before' | 'undone' | 'others'>,
): Promise<{ readonly image: FileImage } | null> {
  const { others = [] } = change;
  if (others === 'too-many') return null;
  let image = leftByUndo(change);
  for (const other of others) {
    const { from, to } = other;
    // A file that somebody deleted comes back, and the mode of one that is not there does not matter.
    const isNothing = to === null || (image === null && from?.kept === true && isSameContent(from, to));
    if (isNothing) continue;
    if (!to.kept || from?.kept === false) return null;
    if (isSameContent(image, from)) {
      image = withMode(image, other);
      continue;
    }
    const merged = await mergeImages(blobs, image, other);
    if (typeof merged === 'string') return null;
    image = merged.image;
  }
  return { image };
}

/** Keeps what is made in memory: a look at changes stores nothing. */
export function blobsInMemory(journal: Pick<Journal, 'getBlob'>): FileBlobs {
  const made = new Map<string, Uint8Array>();
  return {
    putBlob: async (bytes) => {
      const ref = { sha256: sha256Of(bytes), bytes: bytes.length };
      if (bytes.length <= mergedBytes) made.set(ref.sha256, bytes);
      return ref;
    },
    getBlob: async (ref) => made.get(ref.sha256) ?? journal.getBlob(ref),
  };
}

async function bytesOf(blobs: FileBlobs, { blob }: Extract<FileImage, { kept: true }>): Promise<Uint8Array | null> {
  return blob.bytes > mergedBytes ? null : blobs.getBlob(blob);
}
