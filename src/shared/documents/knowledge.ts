import { partsText, type DocumentKind } from './document-text.ts';

/** Where a file of a project's knowledge came from. */
export type KnowledgeSource =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'page'; readonly url: string };

/** A file that is always at hand in a project: a copy in the home, which agents read and never change. */
export interface KnowledgeFile {
  /** Its name in the list. Answers and rules name it by the knowledge's own name: `knowledge/NAME`. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Null: a text. */
  readonly kind: DocumentKind | null;
  readonly pages: number;
  /** About what its text takes of a prompt. */
  readonly tokens: number;
  /** Null: somebody put it into the folder by hand. */
  readonly from: KnowledgeSource | null;
  /** In milliseconds since 1970. */
  readonly addedAt: number;
  /** Its whole text goes to models that have room for it. False: they search it. */
  readonly isWhole: boolean;
}

export interface Knowledge {
  /** The name of the knowledge in answers and rules: `knowledge`, or another one where the project has that. */
  readonly name: string;
  /** Where the copies lie. */
  readonly folder: string;
  readonly files: readonly KnowledgeFile[];
}

/** What became of one source. `same`: it is there already, as it is. */
export interface AddedSource {
  readonly source: KnowledgeSource;
  /** Null: nothing was added. */
  readonly name: string | null;
  readonly outcome: 'added' | 'replaced' | 'same' | 'refused';
  /** A sentence, where there is something to say. */
  readonly note: string | null;
}

export type KnowledgeProgress =
  | { readonly type: 'source'; readonly added: AddedSource; readonly done: number; readonly of: number }
  /** `left`: documents that the index has not read yet. */
  | { readonly type: 'index'; readonly left: number }
  | { readonly type: 'ended'; readonly knowledge: Knowledge };

export const mostKnowledgeFiles = 1_000;
/** A longer file is searched and never given whole. */
export const mostWholeTokens = 8_000;
/** Of a model's context, for all whole texts together. Those that do not fit are searched. */
export const wholeShare = 0.25;

/** `3 pages`; null for a text. */
export function partsOfKnowledge({ kind, pages }: Pick<KnowledgeFile, 'kind' | 'pages'>): string | null {
  return kind === null ? null : partsText(kind, pages);
}

/** About how many tokens a text takes. */
export function knowledgeTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
