import { failure, success, type Reply } from '@shared/errors.ts';
import type { Engine } from '../docker/engine/container-engine.ts';
import { spaceOf, visiblePart } from '../docker/engine/engine-disk.ts';
import { sizeText } from '@shared/text/size-text.ts';

/** What making our image takes on the engine's disk at its most: the image, and what it is made of. */
export const ownImageBytes = 2e9;
/** For an image of which nobody knows the size yet: with less room it fails in the middle, and perhaps other programs with it. */
export const unknownImageBytes = 5e8;

/**
 * Whether the engine's disk has room for so much more. Fails with `missing-sandbox` before anything is written. A disk in
 * another machine (Desktop and the like) cannot be seen from here and counts as large enough.
 */
export async function roomForImage(
  { rootFolder, isDesktop }: Pick<Engine, 'rootFolder' | 'isDesktop'>,
  neededBytes: number,
): Promise<Reply<null>> {
  const path = rootFolder === null || isDesktop ? null : await visiblePart(rootFolder);
  if (path === null) return success(null);
  const { free } = await spaceOf(path);
  if (free >= neededBytes) return success(null);
  return failure(
    'missing-sandbox',
    `The disk of the container engine (${rootFolder ?? path}) has ${sizeText(free)} free, and the image needs about ${sizeText(neededBytes)}. Nothing was started.`,
    'Free some space there: `dewpoint clean` shows what Dewpoint keeps, and `docker system df` shows the rest.',
  );
}
