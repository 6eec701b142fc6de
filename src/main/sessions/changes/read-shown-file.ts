import type { BlobRef } from '@shared/events/blob-ref.ts';
import { readImageFacts } from '@shared/attachments/image-facts.ts';
import type { ShownFile, ShownFileSource } from '@shared/contract/sessions-contract.ts';
import type { Journal } from '../journal/journal.ts';

/** Larger files are not shown, because the page holds the whole file. */
const maxBytes = 5 * 1024 * 1024;

/**
 * A file that the session made or was given, read from the log. Nothing is read from a disk on which an agent works. A
 * file that is neither a change nor an attachment of this session counts as missing.
 */
export async function readShownFile(
  journal: Pick<Journal, 'state' | 'getBlob'>,
  source: ShownFileSource,
): Promise<ShownFile> {
  const blob = blobOf(journal, source);
  if (blob === null) return { kind: 'none', why: 'missing' };
  if (blob.bytes > maxBytes) return { kind: 'none', why: 'too-large' };
  const bytes = await journal.getBlob(blob);
  if (bytes === null) return { kind: 'none', why: 'missing' };
  const image = readImageFacts(bytes);
  if (image !== null) return { kind: 'image', mediaType: image.mediaType, data: Buffer.from(bytes).toString('base64') };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // Neither an image nor text, so there is nothing to show.
    return { kind: 'none', why: 'binary' };
  }
}

function blobOf(journal: Pick<Journal, 'state'>, source: ShownFileSource): BlobRef | null {
  const { changes, messages } = journal.state();
  if ('path' in source) {
    const after = changes.find(({ path }) => path === source.path)?.after;
    return after?.kept === true ? after.blob : null;
  }
  const given = messages.flatMap(({ attachments = [] }) => attachments.map(({ blob }) => blob));
  return given.find(({ sha256 }) => sha256 === source.sha256) ?? null;
}
