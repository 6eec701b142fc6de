/** What would leave this machine with a push: exactly what was shown is sent. */
export interface PushPlan {
  /** The top of the repository, which may be above the project. */
  readonly folder: string;
  readonly branch: string;
  readonly commit: string;
  readonly remote: string;
  /** With a port where it is not the usual one. */
  readonly host: string;
  /** Where it is pushed to, without a login. */
  readonly address: string;
  /** As far as this machine knows, the remote has no such branch yet. */
  readonly isNew: boolean;
  /** Those that the remote lacks, as far as this machine knows: the latest ones, latest first. */
  readonly commits: readonly PushedCommit[];
  /** Null: more than were counted. */
  readonly count: number | null;
  /** Whole sentences: what the person should know. */
  readonly notes: readonly string[];
  readonly approval: string;
}

export interface PushedCommit {
  readonly id: string;
  readonly author: string;
  /** The first line of its message. */
  readonly title: string;
}

export interface MadePush {
  readonly branch: string;
  readonly commit: string;
  readonly address: string;
}
