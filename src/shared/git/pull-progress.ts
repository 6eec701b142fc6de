import type { CloneStep } from './clone-progress.ts';

/** What a pull is about, before anything is asked of the host. */
export interface PullBegin {
  /** The top of the repository, which may be above the project. */
  readonly folder: string;
  readonly branch: string;
  readonly remote: string;
  readonly host: string;
  /** The branch at the remote. */
  readonly theirs: string;
}

export interface MadePull extends PullBegin {
  readonly from: string;
  /** The same as `from`: there was nothing to bring. */
  readonly to: string;
  readonly files: number;
  /** Whole sentences: what the person should know. */
  readonly notes: readonly string[];
}

export type PullProgress =
  | ({ readonly type: 'began' } & PullBegin)
  | ({ readonly type: 'progress' } & CloneStep)
  | { readonly type: 'ended'; readonly pull: MadePull };
