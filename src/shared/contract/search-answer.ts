/** Where in a session a text stands. */
export type SearchKind = 'title' | 'message' | 'answer' | 'call' | 'output';

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string;
  readonly projectPath: string | null;
  readonly kind: SearchKind;
  /** The id of the message, model call, tool call, action or turn it stands in; null for the title. */
  readonly ref: string | null;
  /** Of the event. */
  readonly seq: number;
  readonly at: number;
  /** A line of it: what was found and what is around it. */
  readonly snippet: { readonly before: string; readonly match: string; readonly after: string };
}

export interface SearchAnswer {
  /** The latest first, a few of each session. */
  readonly hits: readonly SearchHit[];
  /** False: some logs were not looked through yet; asked again, it has more. */
  readonly isComplete: boolean;
}
