/** What Dewpoint read of a repository. All names and texts in it are the repository's own, so a host shows them safely. */
export type GitReport =
  | ({ readonly type: 'status' } & GitStatus)
  | {
      readonly type: 'log';
      readonly commits: readonly GitCommit[];
      readonly hasMore: boolean;
      readonly note: string | null;
    }
  | {
      readonly type: 'show';
      readonly commit: GitCommit;
      readonly files: readonly GitFileDiff[];
      readonly leftOut: number;
    }
  | { readonly type: 'diff'; readonly files: readonly GitFileDiff[]; readonly leftOut: number }
  | {
      readonly type: 'blame';
      readonly path: string;
      readonly lines: readonly AuthoredLine[];
      readonly note: string | null;
    }
  | ({
      readonly type: 'branches';
      readonly branches: readonly GitBranch[];
      readonly remotes: readonly GitRemote[];
    } & GitHead);

export interface GitHead {
  /** Null: HEAD is detached. */
  readonly branch: string | null;
  /** Null: there is no commit yet. */
  readonly commit: string | null;
}

export interface GitStatus extends GitHead {
  readonly entries: readonly StatusEntry[];
  readonly leftOut: number;
  /** Whole sentences. */
  readonly notes: readonly string[];
}

export interface StatusEntry {
  readonly path: string;
  readonly kind: 'conflict' | 'modified' | 'added' | 'deleted' | 'untracked';
  readonly isStaged: boolean;
}

export interface GitCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly message: string;
}

export interface GitFileDiff {
  readonly path: string;
  /** Null: `note` says why there is none. */
  readonly text: string | null;
  readonly note: string | null;
}

export interface AuthoredLine {
  /** Null: not committed yet, or older than what was looked at. */
  readonly commit: string | null;
  readonly author: string;
  readonly at: number | null;
  readonly text: string;
}

export interface GitBranch {
  readonly name: string;
  /** Null: a branch of this repository. */
  readonly remote: string | null;
  readonly commit: string;
}

export interface GitRemote {
  readonly name: string;
  /** Without a password. */
  readonly address: string;
}
