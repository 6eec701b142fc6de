import type { DocumentFacts } from '@shared/attachments/attachment.ts';
import { maxTextBytes } from '@shared/attachments/attachment-text.ts';
import type { DocumentKind, DocumentText } from '@shared/documents/document-text.ts';
import { markedParts, partsText, whyUnread } from '@shared/documents/document-text.ts';
import { isDocumentName, isNotebookName, packedDocument } from '../../lib/files/document-kind.ts';
import { fileText } from '../../lib/files/file-text.ts';

/** The text of a file, and its encoding if that was not UTF-8. Null: the file is not text. Checks the bytes, never the name. */
export function textOfFile(bytes: Uint8Array): { readonly text: string; readonly encoding?: string } | null {
  const read = fileText(bytes);
  if (read === null) return null;
  return read.encoding === 'UTF-8' ? { text: read.text } : { text: read.text, encoding: read.encoding };
}

export interface ReadPages {
  readonly text: string;
  readonly facts: Omit<DocumentFacts, 'blob'>;
  /** The numbers of pages without text, from 1. */
  readonly blankPages: readonly number[];
}

/** The text of a document with a mark before each part, up to the size that a message allows. A sentence if it has none. */
export function partsOfDocument(
  name: string,
  kind: DocumentKind,
  found: DocumentText,
  canDraw = false,
): ReadPages | string {
  if (!found.ok) {
    const { what, advice } = whyUnread(name, kind, found.why);
    return `${what} ${advice}`;
  }
  const { pages, texts, isCut = false } = found;
  if (texts.every(isBlank) && !(kind === 'pdf' && canDraw && texts.length > 0))
    return kind === 'pdf' ? scannedText(name, pages) : `${name} has no text.`;
  const kept: string[] = [];
  let size = 0;
  for (const part of markedParts(kind, found)) {
    size += Buffer.byteLength(part) + 1;
    if (size > maxTextBytes) break;
    kept.push(part);
  }
  if (kept.length === 0 && isCut) kept.push(cutText(markedParts(kind, found)[0] ?? ''));
  if (kept.length === 0)
    return `The first ${partsText(kind, 1).slice(2)} of ${name} is too long to be attached. Attach a part of it as text.`;
  const blankPages = texts.slice(0, kept.length).flatMap((text, index) => (isBlank(text) ? [index + 1] : []));
  const facts = { kind, pages, read: kept.length, blank: blankPages.length, ...(isCut ? { isCut } : {}) };
  return { text: kept.join('\n'), facts, blankPages };
}

/** Whole lines, as many as a message takes. */
function cutText(text: string): string {
  const kept = Buffer.from(text).subarray(0, maxTextBytes).toString('utf8');
  return kept.slice(0, kept.lastIndexOf('\n') + 1);
}

/** The sentence about a PDF without any text whose pages are not drawn. */
export function scannedText(name: string, pages: number): string {
  const are =
    pages === 1 ? 'its page is a picture, probably a scan' : `its ${pages} pages are pictures, probably scans`;
  const [it, them] = pages === 1 ? ['its page', 'the page'] : ['its pages', 'the pages that you need'];
  return `${name} has no text: ${are}. Put it into the project and name it in your message: a model that sees pictures looks at ${it} there, with its tool show_page. Or attach ${them} as pictures, or run text recognition (OCR) on it first.`;
}

/** Why a file whose name is that of a document is none, by its bytes. Null: nothing speaks against it. */
export function unlikeItsName(name: string, bytes: Uint8Array): string | null {
  if (!isDocumentName(name) || isNotebookName(name)) return null;
  if (bytes.length === 0) return `${name} is empty.`;
  return packedDocument(bytes) === null
    ? `${name} is not the kind of document that its name says. Save it again by the program that made it. If it is text, name it .txt.`
    : null;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
