import { readImageFacts } from '../../lib/files/image-facts.ts';
import { maxImageSide } from '@shared/attachments/attachment-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { canvasLimits } from '@shared/tools/canvas.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import type { ResultPicture, ToolResult } from '../define.ts';
import { tableOfResult } from '../results/table-of-result.ts';
import { serverText } from '../values/tool-results.ts';

/** Limits for one result. An image with this many pixels takes 128 MB when it is drawn. */
const most = { pictures: 4, bytes: canvasLimits.imageBytes, pixels: 32_000_000 };

/**
 * Reads the result of a server: its text for the model, and its images. The type of an image comes from its bytes, not
 * from what the server says. The text names each image and each sound. Structured content is used only if there is no
 * text, because servers that send both say the same twice. A list of flat objects in it also becomes a table for the
 * user.
 */
export function readCallResult(answer: unknown): ToolResult {
  const result = fieldOf(answer, 'whole') ?? answer;
  const content = isRecord(result) ? result.content : result;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content ?? ''];
  const pictures: ResultPicture[] = [];
  const said = parts.map((part) => partText(part, pictures)).filter((text) => text !== '');
  const structured = fieldOf(result, 'structuredContent');
  const hasText = parts.some((part) =>
    isRecord(part) ? typeof part.text === 'string' && part.text !== '' : part !== '',
  );
  if (!hasText && structured !== undefined) said.push(JSON.stringify(structured, null, 1));
  const isError = fieldOf(result, 'isError') === true;
  const output = serverText(said.join('\n'));
  const table = isError ? null : tableOfResult(structured);
  return {
    status: isError ? 'error' : 'ok',
    output,
    ...(table === null ? {} : { data: { table } }),
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

function partText(part: unknown, pictures: ResultPicture[]): string {
  if (!isRecord(part)) return typeof part === 'string' ? part : '';
  const { type, text, mimeType, data, uri, name, resource } = part;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (type === 'image') return imageText(data, pictures);
  if (type === 'audio') return `[audio, ${String(mimeType)}, ${sizeText(bytesOf(data))}: not played]`;
  if (type === 'resource_link') return `[link: ${[name, uri].filter((one) => typeof one === 'string').join(' ')}]`;
  if (type !== 'resource' || !isRecord(resource))
    return typeof text === 'string' ? text : `[content of the kind ${String(type)}: not shown]`;
  if (typeof resource.text === 'string') return resource.text;
  const isImage = String(resource.mimeType).startsWith('image/');
  return isImage ? imageText(resource.blob, pictures) : `[file: ${String(resource.uri)}: not shown]`;
}

function bytesOf(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

/** Adds an image to `pictures`, or says why not. SVG is not accepted, because it can hold a program. */
export function imageText(data: unknown, pictures: ResultPicture[]): string {
  const size = bytesOf(data);
  const left = (why: string): string => `[image, ${sizeText(size)}: not shown, ${why}]`;
  if (typeof data !== 'string') return left('for it has no data');
  if (size > most.bytes) return left(`for more than ${sizeText(most.bytes)} are not taken`);
  if (pictures.length === most.pictures) return left(`for a result has at most ${most.pictures}`);
  const bytes = Buffer.from(data, 'base64');
  const facts = readImageFacts(bytes);
  if (facts === null) return left('for it is no PNG, JPEG, GIF or WebP');
  const { width, height } = facts;
  if (Math.max(width, height) > maxImageSide || width * height > most.pixels)
    return left(`for ${width} × ${height} pixels are too many`);
  pictures.push({ bytes, ...facts });
  return `[image ${pictures.length}, ${width} × ${height} pixels, ${sizeText(bytes.length)}: the user sees it]`;
}
