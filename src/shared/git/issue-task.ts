/** An issue of the project's host as a task. */
export interface IssueTask {
  readonly number: number;
  readonly url: string;
  /** For the session: `Issue #12: Wrong date`. The subject is the words of others, on one line. */
  readonly title: string;
  readonly isOpen: boolean;
  readonly comments: number;
  /** The branch that a commit of the session proposes. */
  readonly branch: string;
  /** All of it as a message for the agent, marked as the words of others. */
  readonly text: string;
}
