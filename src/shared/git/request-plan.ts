/** What would leave this machine to ask for a review: exactly what was shown is sent. */
export interface RequestPlan {
  readonly remote: string;
  /** With a port where it is not the usual one. */
  readonly host: string;
  /** Where it is pushed to, without a login. */
  readonly address: string;
  readonly branch: string;
  readonly commit: string;
  /** The branch that the work is for. Null: the usual one of the host. */
  readonly base: string | null;
  readonly title: string;
  readonly body: string;
  /** Commits that are not of this session and that the remote may lack. They are pushed, too. */
  readonly others: number;
  readonly notes: readonly string[];
  readonly approval: string;
}

export interface MadeRequest {
  readonly url: string;
  readonly number: number;
  /** False: it was there, and the branch was pushed to it. */
  readonly isNew: boolean;
}

/** A comment of a review, by someone else. */
export interface ReviewComment {
  readonly author: string;
  /** Null: it is on the whole. */
  readonly place: string | null;
  readonly text: string;
}

export interface RequestReview {
  readonly url: string;
  /** Those that the session was not given yet. */
  readonly comments: readonly ReviewComment[];
  /** How many the session was given before. */
  readonly given: number;
  /** All of it as a message for the agent, marked as the words of others. */
  readonly message: string;
}
