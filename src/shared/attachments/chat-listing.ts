/** One conversation in the data export of a chat app. */
export interface ChatEntry {
  /** By its content. */
  readonly id: string;
  readonly title: string;
  readonly app: 'ChatGPT' | 'Claude';
  readonly startedMs: number | null;
  readonly changedMs: number | null;
  /** How many were written by either side. */
  readonly messages: number;
  /** Of their text. */
  readonly bytes: number;
}

/** What an export has to choose from, newest first. */
export interface ChatListing {
  readonly conversations: readonly ChatEntry[];
  /** Entries that could not be read as conversations. */
  readonly unread: number;
}
