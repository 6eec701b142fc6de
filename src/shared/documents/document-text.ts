import { sizeText } from '@shared/text/size-text.ts';

export const documentKinds = ['pdf', 'word', 'excel', 'csv', 'notebook', 'page'] as const;
/** `page`: a web page. */
export type DocumentKind = (typeof documentKinds)[number];

/** Why a document has no text. `bomb`: it unpacks to far more than its size. `older`: Office before 2007. */
export const unreadReasons = ['encrypted', 'broken', 'bomb', 'older', 'too-hard', 'no-reader'] as const;
export type UnreadReason = (typeof unreadReasons)[number];

/**
 * The text of a document by part, from the first on, as much as was asked for: pages of a PDF, sheets of a workbook,
 * cells of a notebook. Other kinds have one part.
 */
export type DocumentText =
  | {
      readonly ok: true;
      /** The number of all parts. `texts` may have fewer. */
      readonly pages: number;
      readonly texts: readonly string[];
      /** What stands in the mark of each part, such as the name of a sheet. Absent: nothing. */
      readonly names?: readonly string[];
      /** The last text ends where the limit was. */
      readonly isCut?: true;
    }
  | { readonly ok: false; readonly why: UnreadReason };

/** The largest document whose text is read. */
export const maxDocumentBytes = 32 * 1024 * 1024;
/** The most text that is read of one document. */
export const mostTextBytes = 4 * 1024 * 1024;

const partWords = { pdf: 'Page', word: 'Part', excel: 'Sheet', csv: 'Table', notebook: 'Cell', page: 'Page' } as const;

/** What people call a document of this kind, with its article. */
export const documentWords = {
  pdf: 'a PDF',
  word: 'a Word document',
  excel: 'an Excel workbook',
  csv: 'a table',
  notebook: 'a notebook',
  page: 'a web page',
} as const satisfies Readonly<Record<DocumentKind, string>>;

/** The line before each part of a document's text, so that a model can say where it read something. */
export function partMark(kind: DocumentKind, part: number, of: number, name?: string): string {
  return `[${partWords[kind]} ${part} of ${of}${name === undefined || name === '' ? '' : `: ${name.replaceAll(/\s+/gu, ' ').slice(0, 120)}`}]`;
}

const markPattern = /^\[(?:Page|Sheet|Cell) (\d+) of (\d+)(?::.*)?\]$/u;

/** The number of the part that a line marks. Null: it is no mark in a document of so many parts. */
export function partOfMark(line: string, of: number): number | null {
  const [, part, all] = markPattern.exec(line) ?? [];
  return part === undefined || Number(all) !== of ? null : Number(part);
}

/** `3 pages`, `1 sheet`. */
export function partsText(kind: DocumentKind, count: number): string {
  const word = partWords[kind].toLowerCase();
  return `${count} ${count === 1 ? word : `${word}s`}`;
}

/** Whether the parts of such a document have a mark each. */
export function hasParts(kind: DocumentKind): boolean {
  return kind === 'pdf' || kind === 'excel' || kind === 'notebook';
}

/** The parts of a document with a mark before each where its kind has several. */
export function markedParts(
  kind: DocumentKind,
  found: Extract<DocumentText, { readonly ok: true }>,
): readonly string[] {
  const { pages, texts, names = [] } = found;
  return texts.map((text, index) => {
    if (!hasParts(kind)) return `${text.trimEnd()}\n`;
    const mark = partMark(kind, index + 1, pages, names[index]);
    const shown = text.trim() === '' ? emptyTexts[kind] : text.trimEnd();
    return `${mark}\n${shown}\n`;
  });
}

/** What stands for a page of a PDF without text. */
export const blankPageText = '(This page has no text. It may be a picture.)';

const emptyTexts = {
  pdf: blankPageText,
  word: '',
  excel: '(This sheet is empty.)',
  csv: '',
  notebook: '(This cell is empty.)',
  page: '',
} as const satisfies Readonly<Record<DocumentKind, string>>;

/** Why a document was not read, and what a person can do who wants to attach or keep it, a sentence each. */
export function whyUnread(name: string, kind: DocumentKind, why: UnreadReason): UnreadDocument {
  switch (why) {
    case 'encrypted':
      return {
        what: `${name} is protected by a password.`,
        advice: 'Save a copy without the password, then take that.',
      };
    case 'broken':
      return {
        what: `${name} is damaged and cannot be read as ${documentWords[kind]}.`,
        advice: 'Open it, save it again, then take that.',
      };
    case 'bomb':
      return {
        what: `${name} unpacks to far more than its size and was not read.`,
        advice: 'Save a smaller copy or its text, then take that.',
      };
    case 'older':
      return {
        what: `${name} is in the format of Office before 2007, which is not read.`,
        advice: 'Save it as .docx or .xlsx, then take that.',
      };
    case 'too-hard':
      return {
        what: `${name} takes too much time or memory to read.`,
        advice: 'Take only the part that you need, as a smaller file or as text.',
      };
    case 'no-reader':
      return {
        what: `${name} was not read: the document reader did not start.`,
        advice: 'Try again, or take its text.',
      };
    default:
      return why satisfies never;
  }
}

export interface UnreadDocument {
  readonly what: string;
  readonly advice: string;
}

export function tooLargeText(name: string, mostBytes: number): string {
  return `${name} is larger than ${sizeText(mostBytes)}. Take only the part that you need, as a smaller file.`;
}
