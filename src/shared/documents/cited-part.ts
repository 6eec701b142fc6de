import type { Picture } from '@shared/tools/canvas.ts';

/** A place in a document, as a text cites it: `report.pdf, page 3`, `src/app.py:12` or `sales.xlsx, May!B4`. */
export interface CitedPlace {
  /** In the workspace, or the name of an attachment. */
  readonly path: string;
  /** Counted from 1, in the text of the document as models read it. */
  readonly line?: number | undefined;
  readonly part?: { readonly word: 'page' | 'sheet' | 'cell'; readonly number: number } | undefined;
  /** `sheet` is absent in a table that has only one. `cell` is `B4`. */
  readonly cell?: { readonly sheet?: string | undefined; readonly cell: string } | undefined;
}

/** The part of a document that a place is in, to be shown. */
export interface CitedPart {
  readonly path: string;
  /** What the parts of such a document are called, and which one this is. Null: it has only one. */
  readonly part: {
    readonly word: 'page' | 'sheet' | 'cell';
    readonly number: number;
    readonly of: number;
    /** Such as the name of a sheet. Null: it has none. */
    readonly name: string | null;
  } | null;
  /** A table is CSV: letters of columns first, and each row begins with its number. */
  readonly form: 'text' | 'table';
  /** The lines around the place. */
  readonly lines: readonly string[];
  /** The number of the first line of a text. */
  readonly from: number;
  /** How many lines the part has. */
  readonly all: number;
  /** Which of `lines` is meant, from 0. Null: all of them. */
  readonly at: number | null;
  /** Which column of that line is meant, from 0, without that of the row numbers. Null: the whole row. */
  readonly column: number | null;
  /** The page as a picture, where it has no text. */
  readonly picture?: Picture;
}
