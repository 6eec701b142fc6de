import { z } from 'zod';

/** A part of a document that a search found. `title` is its headings, outermost first. */
export interface FoundPart {
  readonly path: string;
  readonly fromLine: number;
  readonly toLine: number;
  /** The page, sheet or cell in which it begins. Null: the document has none. */
  readonly page: number | null;
  readonly title: string;
  readonly text: string;
}

/** Whether a search of documents went by meaning, too. */
export type SearchedBy =
  /** `done` of `of` parts have vectors; the others are found by words alone. `why`, a sentence: they get none now. */
  | {
      readonly type: 'meaning';
      readonly model: string;
      readonly done: number;
      readonly of: number;
      readonly why?: string;
    }
  /** Vectors are being made. */
  | { readonly type: 'words-yet'; readonly model: string; readonly done: number; readonly of: number }
  /** `why` is a sentence. */
  | { readonly type: 'words'; readonly why: string };

export interface FoundInDocuments {
  /** Best first. */
  readonly chunks: readonly FoundPart[];
  /** All documents that may be searched. */
  readonly documents: number;
  /** Those that are not read yet, because the time was up. The next search goes on with them. */
  readonly left: number;
  readonly by: SearchedBy;
  /** How many of the documents are in chosen folders outside the project. Absent: no such folder was searched. */
  readonly outside?: number;
  /** The names of chosen folders that are gone or cannot be read. Absent: none is. */
  readonly unread?: readonly string[];
  /** There are more files than are looked at, or more documents than are searched. Absent: no. */
  readonly isCut?: true;
}

/** That not everything was searched, in a sentence. Empty if it was. */
export function cutText({ documents, isCut }: Pick<FoundInDocuments, 'documents' | 'isCut'>): string {
  if (isCut !== true) return '';
  return `Only ${documents} documents were searched, the upper folders first: there are more files than a search looks at. To find others, search a folder of the project.`;
}

/** Which chosen folders were not searched, in a sentence. Empty if all were. */
export function unreadText({ unread = [] }: Pick<FoundInDocuments, 'unread'>): string {
  if (unread.length === 0) return '';
  const [what, why] = unread.length === 1 ? ['folder', 'it is gone, or'] : ['folders', 'they are gone, or'];
  return `Not searched: the chosen ${what} ${unread.join(', ')}, because ${why} may not be read.`;
}

/** How far the vectors are that a search waits for. */
export type VectorProgress =
  /** Those that were asked for before, maybe of another project, are made first. */
  | { readonly type: 'waiting' }
  /** So many parts have vectors. */
  | { readonly type: 'vectors'; readonly done: number; readonly of: number };

export type SearchProgress = VectorProgress | ({ readonly type: 'ended' } & FoundInDocuments);

/** Said where no model is: what brings one is for a person to run. */
export const noVectorModel =
  'There is no embedding model for a search by meaning. Find one with `dewpoint models suggest`, and bring it with `dewpoint models pull`.';

/** Said where the settings switch it off. */
export const vectorsOff = 'The search by meaning is off (searchModel).';

/** How it was searched, in a sentence. Empty if nothing needs to be said. */
export function searchedByText(by: SearchedBy): string {
  switch (by.type) {
    case 'meaning': {
      if (by.done === by.of) return '';
      const alone = `By words and meaning. ${by.of - by.done} of ${by.of} parts by words alone`;
      return by.why === undefined ? `${alone} yet.` : `${alone}: ${by.why}`;
    }
    case 'words-yet':
      return `By words alone yet: ${by.done} of ${by.of} parts are ready for a search by meaning with ${by.model}.`;
    case 'words':
      return `By words alone. ${by.why}`;
    default:
      return by satisfies never;
  }
}

/**
 * The embedding model for a search by meaning: `auto` is the smallest file here, `off` is words alone, else
 * `llama-cpp/NAME`, `ollama/NAME`, or a model of another server of this machine.
 */
export const searchModelSchema = z
  .string()
  .regex(
    /^(?:auto|off|[a-z0-9][a-z0-9._-]*\/.{1,300})$/u,
    'It is auto, off or PROVIDER/MODEL, such as ollama/all-minilm.',
  );
