import type { DocumentKind, DocumentText } from '@shared/documents/document-text.ts';
import {
  documentWords,
  hasParts,
  markedParts,
  maxDocumentBytes,
  mostTextBytes,
  partOfMark,
  partsText,
  whyUnread,
} from '@shared/documents/document-text.ts';
import type { ReadDocument } from '../../documents/read-document.ts';
import { isDocumentName, isNotebookName, packedDocument } from '../../lib/files/document-kind.ts';
import type { FileContent } from '../../sandbox/sandbox.ts';
import type { ToolContext, ToolResult } from '../define.ts';
import { errorResult } from './tool-results.ts';

/** A document as text for a model. `about` says what the text is and where its parts begin. */
interface ShownDocument {
  readonly text: string;
  readonly about: readonly string[];
}

export function isShownDocument(value: ShownDocument | ToolResult): value is ShownDocument {
  return 'about' in value;
}

/** The most bytes that are read of a file of this name. Undefined: the usual. */
export function readLimit(path: string): { readonly maxBytes?: number } {
  return isDocumentName(path) ? { maxBytes: maxDocumentBytes } : {};
}

/** Null: the file is no document, or a notebook that is none. It is read as a text then. */
export async function shownDocument(
  path: string,
  { bytes, sha256 }: FileContent,
  { read, context }: { readonly read: ReadDocument | null; readonly context: ToolContext },
): Promise<ShownDocument | ToolResult | null> {
  const packed = packedDocument(bytes);
  const kind = packed?.kind ?? (isNotebookName(path) ? 'notebook' : null);
  if (kind === null || read === null) return null;
  const why = packed?.why ?? null;
  const { signal } = context;
  const found: DocumentText =
    why === null ? await read(bytes, { kind, signal, mostBytes: mostTextBytes }) : { ok: false, why };
  signal.throwIfAborted();
  if (!found.ok) return kind === 'notebook' ? null : errorResult(whyUnread(path, kind, found.why).what);
  context.files.noteRead(path, sha256);
  const text = markedParts(kind, found).join('\n').trimEnd();
  return { text, about: [aboutText(path, kind, found, text)] };
}

function aboutText(
  path: string,
  kind: DocumentKind,
  { pages, texts, isCut }: Extract<DocumentText, { readonly ok: true }>,
  text: string,
): string {
  const left = texts.length < pages || isCut === true ? `, of which only the beginning is here` : '';
  const edits = kind === 'notebook' ? ' edit_file changes the text of one cell.' : '';
  if (!hasParts(kind)) return `[${path} is ${documentWords[kind]}${left}. These are lines of its text.]`;
  const begins = text.split('\n').flatMap((line, index) => {
    const part = partOfMark(line, pages);
    return part === null ? [] : [`${part} at line ${index + 1}`];
  });
  const [word] = partsText(kind, 2).split(' ').slice(1);
  const where = pages > 1 ? ` ${word?.[0]?.toUpperCase()}${word?.slice(1)} begin: ${some(begins).join(', ')}.` : '';
  const blank = kind === 'pdf' ? texts.flatMap((one, index) => (one.trim() === '' ? [String(index + 1)] : [])) : [];
  const draws = blank.length === 0 ? '' : ` ${blankText(blank)}`;
  return `[${path} is ${documentWords[kind]} of ${partsText(kind, pages)}${left}. These are lines of its text.${where}${draws}${edits}]`;
}

function blankText(pages: readonly string[]): string {
  const [only] = pages;
  const named = pages.length === 1 ? `Page ${only} has` : `Pages ${some(pages).join(', ')} have`;
  return `${named} no text. A model that sees pictures could read ${pages.length === 1 ? 'it' : 'them'} with show_page.`;
}

const mostNamed = 24;

/** At most so many, evenly spread, with the first and the last. */
function some(all: readonly string[]): readonly string[] {
  const step = Math.ceil(all.length / mostNamed);
  return all.filter((_, index) => index % step === 0 || index === all.length - 1);
}
