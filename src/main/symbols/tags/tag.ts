import type { TagLanguage } from './tag-languages.ts';

/** What a name in a source file is: where something is defined, with its signature, or where it is used. */
export interface DefinitionTag {
  readonly name: string;
  /** `function`, `method`, `class`, `interface`, `type`, `constant`, `module`, `macro`, `field`. */
  readonly what: string;
  /** 1-based. */
  readonly line: number;
  readonly endLine: number;
  /** How it begins, without its body, on one line: `def add(self, item)`. */
  readonly signature: string;
  /** The definition around it, such as its class; null: none. */
  readonly container: string | null;
}

export interface ReferenceTag {
  readonly name: string;
  readonly line: number;
}

/** The tags of one file. Pure data of its text and language. */
export interface FileTags {
  readonly definitions: readonly DefinitionTag[];
  readonly references: readonly ReferenceTag[];
  /** The file has more tags than are kept, or was not parsed to its end. */
  readonly isCut: boolean;
}

/** The tags of a file with its path, which is relative to the workspace. */
export interface TaggedFile extends FileTags {
  readonly path: string;
  readonly language: TagLanguage;
}
