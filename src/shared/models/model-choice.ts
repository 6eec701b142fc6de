/** A quantization of a model that a hub offers. */
export interface ModelChoice {
  readonly id: string;
  /** The id that the model will have after the download. */
  readonly model: string;
  readonly sizeBytes: number;
  /** The size of its projector, which is downloaded with it so that it sees images. Null: it has none. */
  readonly projectorBytes: number | null;
  /** How it would fit into this machine's memory, in one line; null when its header could not be read. */
  readonly fit: string | null;
  /** Null: unknown. */
  readonly fits: boolean | null;
  /** Whether this one is downloaded when none is named. */
  readonly isTaken: boolean;
}
