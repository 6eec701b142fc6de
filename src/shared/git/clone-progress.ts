/** How far a clone is. `receive` counts bytes, `unpack` objects, and `write` files. */
export interface CloneStep {
  readonly step: 'receive' | 'unpack' | 'write';
  readonly done: number;
  /** Null: not known. */
  readonly total: number | null;
}

/** A repository that was brought into a folder. */
export interface MadeClone {
  readonly folder: string;
  readonly host: string;
  readonly branch: string;
  /** Null: the repository has no commits yet. */
  readonly commit: string | null;
  readonly files: number;
  /** Whole sentences: what the person should know. */
  readonly notes: readonly string[];
}

export type CloneProgress =
  | ({ readonly type: 'progress' } & CloneStep)
  | { readonly type: 'ended'; readonly clone: MadeClone };
