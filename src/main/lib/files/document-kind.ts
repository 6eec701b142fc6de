import type { DocumentKind } from '@shared/documents/document-text.ts';

/** What kind of document a file is. `why` is set where its bytes alone say that it cannot be read. */
export interface KnownDocument {
  readonly kind: DocumentKind;
  readonly why: 'older' | 'encrypted' | null;
}

const olderOffice = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const zip = Buffer.from([0x50, 0x4b, 0x03, 0x04]);

/** Documents whose bytes are no text: a PDF, Word or Excel file. Null: it is none. The bytes decide, never the name. */
export function packedDocument(bytes: Uint8Array): KnownDocument | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.subarray(0, 1024).includes('%PDF-')) return { kind: 'pdf', why: null };
  if (startsWith(buffer, zip)) {
    // Names of entries stand in an archive unpacked.
    if (buffer.includes('word/document')) return { kind: 'word', why: null };
    return buffer.includes('xl/workbook') ? { kind: 'excel', why: null } : null;
  }
  if (!startsWith(buffer, olderOffice)) return null;
  const has = (name: string): boolean => buffer.includes(name, 0, 'utf16le');
  const kind = has('Workbook') || has('Book') ? 'excel' : 'word';
  // A document with a password is an encrypted package in the older container.
  if (has('EncryptedPackage')) return { kind, why: 'encrypted' };
  return has('WordDocument') || kind === 'excel' ? { kind, why: 'older' } : null;
}

/** Whether the name is one of a Jupyter notebook. Only the reader knows whether the text is one. */
export function isNotebookName(name: string): boolean {
  return /\.ipynb$/iu.test(name);
}

/** Whether a file of this name may be a document, and so be larger than a text. */
export function isDocumentName(name: string): boolean {
  return /\.(?:pdf|docx|docm|dotx|xlsx|xlsm|xltx|ipynb)$/iu.test(name);
}

function startsWith(buffer: Buffer, mark: Buffer): boolean {
  return buffer.subarray(0, mark.length).equals(mark);
}

/** What the parts of a document of this name are called. */
export function partWord(path: string): 'page' | 'sheet' | 'cell' {
  if (isNotebookName(path)) return 'cell';
  return /\.xl[st][xm]$/iu.test(path) ? 'sheet' : 'page';
}
