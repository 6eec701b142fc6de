/** A quantisation of a model, as a hub offers it. */
export interface ModelChoice {
  readonly id: string;
  /** The id of the model that it is once it was fetched. */
  readonly model: string;
  readonly sizeBytes: number;
  /** What it would get of this machine's memory, in a line; null: its header could not be read. */
  readonly fit: string | null;
  /** Null: nobody knows. */
  readonly fits: boolean | null;
  /** What is fetched when none is named. */
  readonly isTaken: boolean;
}
