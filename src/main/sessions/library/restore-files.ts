import type { BlobRef, FileImage } from '@shared/events/events.ts';
import { toFailure } from '@shared/errors.ts';
import { createSafeFolder, type SafeFolder } from '../changes/safe-folder.ts';

/** Makes files of a folder that is nobody's yet what they were; answers which could not be, each with its reason. */
export async function restoreFiles(
  root: string,
  files: readonly { readonly path: string; readonly image: FileImage }[],
  getBlob: (ref: BlobRef) => Promise<Uint8Array | null>,
): Promise<readonly { readonly path: string; readonly why: string }[]> {
  const folder = createSafeFolder(root);
  const refused: { path: string; why: string }[] = [];
  for (const { path, image } of files) {
    const why = await restore(folder, path, image, getBlob).catch((error: unknown) => toFailure(error).message);
    if (why !== null) refused.push({ path, why });
  }
  return refused;
}

async function restore(
  folder: SafeFolder,
  path: string,
  image: FileImage,
  getBlob: (ref: BlobRef) => Promise<Uint8Array | null>,
): Promise<string | null> {
  if (image === null) {
    if ((await folder.look(path)).type !== 'missing') await folder.remove(path, (now) => now.type === 'file');
    return null;
  }
  if (!image.kept) return 'its content was not kept';
  const bytes = await getBlob(image.blob);
  if (bytes === null) return 'its stored content is missing or damaged';
  const isDone = await folder.write(path, { bytes, mode: image.mode }, (now) => now.type !== 'other');
  return isDone ? null : 'something else is there';
}
