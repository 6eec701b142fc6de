/** The part of a session in which a text was found. */
export type SearchKind = 'title' | 'message' | 'answer' | 'call' | 'output';

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string;
  readonly projectPath: string | null;
  readonly kind: SearchKind;
  /** The id of the message, model call, tool call, action or turn that contains it; null for the title. */
  readonly ref: string | null;
  /** Of the event that contains it. */
  readonly seq: number;
  readonly at: number;
  /** One line: the match and the text around it. */
  readonly snippet: { readonly before: string; readonly match: string; readonly after: string };
}

export interface SearchAnswer {
  /** Latest first, a few from each session. */
  readonly hits: readonly SearchHit[];
  /** False when some logs have not been searched yet. A later search finds more. */
  readonly isComplete: boolean;
}
