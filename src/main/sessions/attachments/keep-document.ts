import type { Attachment, DocumentFacts } from '@shared/attachments/attachment.ts';
import { maxFileBytes, maxImageBytes, maxScans, maxTextBytes } from '@shared/attachments/attachment-text.ts';
import type { DocumentKind, UnreadReason } from '@shared/documents/document-text.ts';
import { tooLargeText } from '@shared/documents/document-text.ts';
import type { DrawPage, ReadDocument } from '../../documents/read-document.ts';
import { isNotebookName } from '../../lib/files/document-kind.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { partsOfDocument, scannedText } from './text-of-file.ts';

interface DocumentsOptions {
  readonly blobs: Pick<Blobs, 'put'>;
  readonly redact: (text: string) => string;
  readonly readDocument: ReadDocument;
  /** Absent: pages without text stay unread. */
  readonly drawPage?: DrawPage | undefined;
}

/** Stores the file unchanged. A model gets its text, and one that sees gets pages without text as pictures. */
export async function keepDocument(
  { blobs, redact, readDocument, drawPage }: DocumentsOptions,
  { name, bytes, from, kind, why }: NewDocument,
): Promise<Attachment | string> {
  if (bytes.length > maxFileBytes) return tooLargeText(name, maxFileBytes);
  const found = why === null ? await readDocument(bytes, { kind }) : ({ ok: false, why } as const);
  const parts = partsOfDocument(name, kind, found, drawPage !== undefined);
  if (typeof parts === 'string') return parts;
  const { facts, blankPages } = parts;
  const scans =
    kind === 'pdf' && drawPage !== undefined ? await drawnPages(blobs, drawPage, { bytes, blankPages }) : [];
  if (scans.length === 0 && facts.blank === facts.read && kind === 'pdf') return scannedText(name, facts.pages);
  const text = Buffer.from(redact(parts.text), 'utf8');
  const document = { ...facts, blob: await blobs.put(bytes), ...(scans.length === 0 ? {} : { scans }) };
  return { kind: 'text', name, blob: await blobs.put(text), document, ...from };
}

/** The first pages without text, one after the other. Ends at the first that cannot be drawn. */
async function drawnPages(
  blobs: Pick<Blobs, 'put'>,
  drawPage: DrawPage,
  { bytes, blankPages }: { readonly bytes: Uint8Array; readonly blankPages: readonly number[] },
): Promise<NonNullable<DocumentFacts['scans']>> {
  const scans: NonNullable<DocumentFacts['scans']> = [];
  for (const page of blankPages.slice(0, maxScans)) {
    const drawn = await drawPage(bytes, { page });
    if (!drawn.ok || drawn.png.length > maxImageBytes) break;
    scans.push({ page, blob: await blobs.put(drawn.png), width: drawn.width, height: drawn.height });
  }
  return scans;
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
