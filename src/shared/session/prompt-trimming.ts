/** One thing of the conversation of which a model was not shown the whole. */
export interface TrimmedPart {
  /** `note`: what the program told the model; `summary`: of what was summed up before. */
  readonly what: 'message' | 'file' | 'answer' | 'result' | 'note' | 'summary';
  /** What was done, the name of a file, or how a text begins. */
  readonly label: string;
  /** Where it stands in the conversation: a message or a tool call; null where it has no row of its own. */
  readonly ref: string | null;
  /** As UTF-8. */
  readonly bytes: number;
}

/** Something that was taken out of what a model is shown. Its bytes are in the log, whole. */
export interface Trimming {
  readonly seq: number;
  /**
   * `long`: an output of which only its beginning and end were shown from the first. `room`: an older result that was
   * shortened later. `summary`: everything up to some point, replaced by a summary. `attached`: a file of
   * which only the beginning was shown, for want of room.
   */
  readonly why: 'long' | 'room' | 'summary' | 'attached';
  /** One, but for a summary. */
  readonly parts: readonly TrimmedPart[];
  /** What is shown in their place. */
  readonly afterBytes: number;
}
