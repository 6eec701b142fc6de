import { t } from '../text/translate.ts';

/** No service looks at more than this of a side at its usual setting. */
const SIDE = 1568;

/** Whether there is anything to make smaller: a file may only be called an image. */
export async function canDraw(file: File): Promise<boolean> {
  try {
    (await createImageBitmap(file)).close();
    return true;
  } catch {
    // Broken, or of a kind that this page does not know.
    return false;
  }
}

/** An image made smaller, as a person asked for. Rejects for what the page cannot draw. */
export async function shrinkImage(file: File): Promise<File> {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, SIDE / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9));
  if (blob === null) throw new Error(t('attach.unreadable', { name: file.name }));
  return new File([blob], `${file.name.replace(/\.[^.]*$/u, '')}.jpg`, { type: 'image/jpeg' });
}
