import type { Attachment } from '@shared/attachments/attachment.ts';
import { maxFileBytes, maxTextBytes } from '@shared/attachments/attachment-text.ts';
import type { DocumentKind, UnreadReason } from '@shared/documents/document-text.ts';
import { tooLargeText } from '@shared/documents/document-text.ts';
import type { ReadDocument } from '../../documents/read-document.ts';
import { isNotebookName } from '../../lib/files/document-kind.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { partsOfDocument } from './text-of-file.ts';

interface DocumentsOptions {
  readonly blobs: Pick<Blobs, 'put'>;
  readonly redact: (text: string) => string;
  readonly readDocument: ReadDocument;
}

/** Stores the file unchanged. A model sees its text. */
export async function keepDocument(
  { blobs, redact, readDocument }: DocumentsOptions,
  { name, bytes, from, kind, why }: NewDocument,
): Promise<Attachment | string> {
  if (bytes.length > maxFileBytes) return tooLargeText(name, maxFileBytes);
  const parts = partsOfDocument(name, kind, why === null ? await readDocument(bytes, { kind }) : { ok: false, why });
  if (typeof parts === 'string') return parts;
  const text = Buffer.from(redact(parts.text), 'utf8');
  const document = { ...parts.facts, blob: await blobs.put(bytes) };
  return { kind: 'text', name, blob: await blobs.put(text), document, ...from };
}

interface NewDocument {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Where it comes from. */
  readonly from: Pick<Attachment, 'path' | 'fileId' | 'source'>;
  readonly kind: DocumentKind;
  /** Null: it can be read, as far as its first bytes say. */
  readonly why: UnreadReason | null;
}

/** Texts that are read by their parts: notebooks, and tables of which a message would take only the beginning. */
export function textDocument(name: string, bytes: Uint8Array): DocumentKind | null {
  if (isNotebookName(name)) return 'notebook';
  return bytes.length > maxTextBytes && /\.(?:csv|tsv)$/iu.test(name) ? 'csv' : null;
}
