import { failure, success, type Reply } from '@shared/errors.ts';
import type { Engine } from '../docker/engine/container-engine.ts';
import { spaceOf, visiblePart } from '../docker/engine/engine-disk.ts';
import { sizeText } from '@shared/text/size-text.ts';

/** The most disk space that making our image takes: the image and what it is made from. */
export const ownImageBytes = 2e9;
/**
 * The disk space required for an image of unknown size. With less, it would fail halfway and perhaps disturb other
 * programs.
 */
export const unknownImageBytes = 5e8;

/**
 * Checks that the engine's disk has this much room. Fails with `missing-sandbox` before anything is written. A disk
 * in another machine (Docker Desktop and similar) cannot be seen from here and counts as large enough.
 */
export async function roomForImage(
  { rootFolder, desktop }: Pick<Engine, 'rootFolder' | 'desktop'>,
  neededBytes: number,
): Promise<Reply<null>> {
  const path = rootFolder === null || desktop !== null ? null : await visiblePart(rootFolder);
  if (path === null) return success(null);
  const { free } = await spaceOf(path);
  if (free >= neededBytes) return success(null);
  return failure(
    'missing-sandbox',
    `The disk of the container engine (${rootFolder ?? path}) has ${sizeText(free)} free, and the image needs about ${sizeText(neededBytes)}. Nothing was started.`,
    'Free some space there: `dewpoint clean` shows what Dewpoint keeps, and `docker system df` shows the rest.',
  );
}
