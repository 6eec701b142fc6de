import type { Picture } from '@shared/tools/canvas.ts';

/** An SVG as the address of an image, where it can run and load nothing. */
export function imageUrlOf(svg: string): string {
  const bytes = new TextEncoder().encode(svg);
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  const url = `data:image/svg+xml;base64,${btoa(binary)}`;
  return url;
}

export function pictureUrl({ mediaType, data }: Pick<Picture, 'mediaType' | 'data'>): string {
  const url = `data:${mediaType};base64,${data}`;
  return url;
}
