/** One conversation in the data export of a chat app. */
export interface ChatEntry {
  /** A hash of its content. */
  readonly id: string;
  readonly title: string;
  readonly app: 'ChatGPT' | 'Claude';
  readonly startedMs: number | null;
  readonly changedMs: number | null;
  /** Number of messages from both sides. */
  readonly messages: number;
  /** Size of the text. */
  readonly bytes: number;
}

/** The conversations in an export, newest first. */
export interface ChatListing {
  readonly conversations: readonly ChatEntry[];
  /** Entries that could not be read as conversations. */
  readonly unread: number;
}
