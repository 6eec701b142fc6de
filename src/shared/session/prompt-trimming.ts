/** A part of the conversation that a model saw only partly, or not at all. */
export interface TrimmedPart {
  /** `note`: a message from Dewpoint to the model. `summary`: an earlier summary. */
  readonly what: 'message' | 'file' | 'answer' | 'result' | 'note' | 'summary';
  /** What was done, a file's name, or how a text begins. */
  readonly label: string;
  /** Its place in the conversation: a message or a tool call. Null when it has no row of its own. */
  readonly ref: string | null;
  /** In UTF-8. */
  readonly bytes: number;
}

/** Something that was left out of what a model is shown. The log has all of its bytes. */
export interface Trimming {
  readonly seq: number;
  /**
   * `long`: an output that was cut to its beginning and end from the first. `room`: an older result that was shortened
   * later. `summary`: everything up to some point was replaced by a summary. `attached`: a file that was cut to its
   * beginning for lack of room.
   */
  readonly why: 'long' | 'room' | 'summary' | 'attached';
  /** One part, except for a summary. */
  readonly parts: readonly TrimmedPart[];
  /** The size of what is shown instead. */
  readonly afterBytes: number;
}
