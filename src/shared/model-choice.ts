/** A quantisation of a model, as a hub offers it. */
export interface ModelChoice {
  readonly id: string;
  readonly sizeBytes: number;
  /** What it would get of this machine's memory, in a line; null: its header could not be read. */
  readonly fit: string | null;
  /** What is fetched when none is named. */
  readonly isTaken: boolean;
}
