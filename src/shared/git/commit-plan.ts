/** The commit that would be made of a session's changes, exactly as it would be. */
export interface CommitPlan {
  readonly projectPath: string;
  readonly branch: string;
  /** The branch is there already, with commits of this session. */
  readonly isMore: boolean;
  /** The commit that the work is based on. */
  readonly base: string;
  readonly author: string;
  readonly message: string;
  readonly files: readonly PlannedFile[];
  /** Whole sentences, such as that the commit will not be signed. */
  readonly notes: readonly string[];
  /** Names exactly this plan. */
  readonly approval: string;
}

export interface PlannedFile {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'left out';
  /** Why it is left out, or what to know about it. Null: nothing. */
  readonly note: string | null;
}

export interface MadeCommit {
  readonly branch: string;
  readonly commit: string;
  readonly files: number;
}
