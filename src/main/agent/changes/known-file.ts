/** A file as it was before a command of the agent ran. */
export interface KnownFile {
  /** Null: a tool wrote the file after the last scan. */
  fingerprint: string | null;
  readonly sizeBytes: number;
  readonly mode: number;
  /** Null: not kept, for the reason in `why`. */
  readonly bytes: Uint8Array | null;
  readonly why: 'too-large' | 'not-a-file' | 'no-text-name' | null;
}

/** A change that a scan found. */
export interface FoundChange {
  readonly path: string;
  readonly before: KnownFile | null;
  readonly after: KnownFile | null;
}
