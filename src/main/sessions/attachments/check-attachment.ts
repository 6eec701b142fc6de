import { isAbsolute } from 'node:path';
import type { ExportFile } from '@shared/attachments/attachment-inputs.ts';
import { maxFileBytes, scansOf } from '@shared/attachments/attachment-text.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { readImageFacts } from '../../lib/files/image-facts.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import type { ExportSource } from './chat-export.ts';
import { textOfFile } from './text-of-file.ts';

/** An attachment must match its blob, or it is not sent. */
export async function checkAttachment(blobs: Blobs, attachment: Attachment): Promise<void> {
  const bytes = await blobs.get(attachment.blob).catch((error: unknown) => {
    throw new AppError('internal', `${attachment.name} cannot be read: ${messageOf(error)}`);
  });
  if (bytes === null) {
    throw new AppError('bad-input', `${attachment.name} is no longer there.`, { hint: 'Attach it again.' });
  }
  const facts = readImageFacts(bytes);
  const isRight = attachment.kind === 'image' ? facts?.mediaType === attachment.mediaType : textOfFile(bytes) !== null;
  const scans = await Promise.all(scansOf(attachment).map(({ blob }) => blobs.get(blob)));
  const areDrawn = scans.every((scan) => scan !== null && readImageFacts(scan)?.mediaType === 'image/png');
  if (!isRight || !areDrawn) throw new AppError('bad-input', `${attachment.name} does not match its description.`);
}

export function eachOnce(attachments: readonly Attachment[]): readonly Attachment[] {
  const keyOf = (one: Attachment): string =>
    [one.blob.sha256, one.name, one.kind === 'text' ? JSON.stringify(one.lines ?? null) : ''].join('\n');
  return [...new Map(attachments.map((one) => [keyOf(one), one])).values()];
}

/** Without a path, the source is the content that the host read. */
export function sourceOf({ name, path, data }: ExportFile): ExportSource {
  if (path !== undefined) {
    if (isAbsolute(path)) return { path };
    throw new AppError('bad-input', `${path} is no whole path.`);
  }
  const bytes = Buffer.from(data ?? '', 'base64');
  if (bytes.length <= maxFileBytes) return { bytes };
  throw new AppError('too-large', `${name} is larger than ${sizeText(maxFileBytes)}.`);
}
