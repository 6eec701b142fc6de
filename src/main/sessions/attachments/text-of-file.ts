import type { DocumentFacts } from '@shared/attachments/attachment.ts';
import { maxTextBytes, pageMark } from '@shared/attachments/attachment-text.ts';
import { fileText } from '../../lib/files/file-text.ts';
import type { DocumentText } from './read-document.ts';

/** The text of a file, and its encoding if that was not UTF-8. Null: the file is not text. Checks the bytes, never the name. */
export function textOfFile(bytes: Uint8Array): { readonly text: string; readonly encoding?: string } | null {
  const read = fileText(bytes);
  if (read === null) return null;
  return read.encoding === 'UTF-8' ? { text: read.text } : { text: read.text, encoding: read.encoding };
}

export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
}

export interface ReadPages {
  readonly text: string;
  readonly facts: Omit<DocumentFacts, 'blob'>;
}

/** The text of a PDF with a mark before each page, up to the size that a message allows. A sentence if it has none. */
export function pagesOf(name: string, found: DocumentText): ReadPages | string {
  if (!found.ok) return whyNot(name, found.why);
  const { pages, texts } = found;
  if (texts.every(isBlank))
    return `${name} has no text: its ${pages === 1 ? 'page is a picture' : `${pages} pages are pictures`}, probably scans. Run text recognition (OCR) on it first, or attach the pages you need as pictures.`;
  const kept: string[] = [];
  let size = 0;
  for (const [index, text] of texts.entries()) {
    const mark = pageMark(index + 1, pages);
    const page = isBlank(text)
      ? `${mark}\n(This page has no text. It may be a picture.)\n`
      : `${mark}\n${text.trimEnd()}\n`;
    size += Buffer.byteLength(page);
    if (size > maxTextBytes) break;
    kept.push(page);
  }
  if (kept.length === 0) return `The first page of ${name} is too long to be attached. Attach a part of it as text.`;
  const blank = texts.slice(0, kept.length).filter(isBlank).length;
  return { text: kept.join('\n'), facts: { pages, read: kept.length, blank } };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function whyNot(name: string, why: Extract<DocumentText, { readonly ok: false }>['why']): string {
  switch (why) {
    case 'encrypted':
      return `${name} is protected by a password. Save a copy without the password, then attach that.`;
    case 'broken':
      return `${name} is damaged and cannot be read as a PDF. Open it, save or print it as a PDF again, then attach that.`;
    case 'too-hard':
      return `${name} takes too much time or memory to read. Attach only the pages you need, as a smaller PDF or as text.`;
    case 'no-reader':
      return `${name} was not read: the PDF reader did not start. Try again, or attach its text.`;
    default:
      return why satisfies never;
  }
}
