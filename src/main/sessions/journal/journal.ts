import type { Attachment } from '@shared/attachments/attachment.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { NewEvent, SessionEvent, Transient } from '@shared/events/events.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { ToolStatus } from '@shared/events/tool-events.ts';

/**
 * The only writer of a session, as the agent sees it: takes facts, and gives the folded state. The live journal writes
 * to disk. The replay journal compares every fact with a recorded log.
 */
export interface Journal {
  readonly sessionId: string;
  /**
   * Stamps, redacts, writes, folds and publishes an event. Resolves when it is written, and on disk if its type comes
   * with a side effect. Rejects with AppError `disk-full` if it could not be written completely (nothing of it remains
   * then), and with `log-damaged` for any append after a failed recovery.
   */
  append(event: NewEvent): Promise<SessionEvent>;
  /** Sends a transient to subscribers. It is never stored. */
  push(transient: Transient): void;
  /** Stores the bytes unchanged, as images of files must be. Rejects with AppError `disk-full`. */
  putBlob(bytes: Uint8Array): Promise<BlobRef>;
  /**
   * Stores a text (a request, an output) with secrets removed. Each piece is checked by itself, so the unchanged pieces
   * of a growing text should stay the same strings. Rejects with AppError `disk-full`.
   */
  putText(pieces: readonly string[]): Promise<BlobRef>;
  /** Null if the blob is gone. */
  getBlob(ref: BlobRef): Promise<Uint8Array | null>;
  /** A blob that is written as output comes, for output too large to hold. Removes secrets. `end` returns its name. */
  openBlob(): BlobSink;
  state(): SessionState;
  money(): MoneyState;
  /** The events from `fromSeq` (default 1) that are in the log. */
  read(fromSeq?: number): AsyncIterable<SessionEvent>;
  /** Milliseconds since 1970. In a replay: the recorded time. */
  now(): number;
  /** A new id (`call-…`), unique in the session. In a replay: the recorded one. */
  newId(kind: 'turn' | 'call' | 'tool' | 'message' | 'approval'): string;
}

export interface BlobSink {
  write(bytes: Uint8Array): void;
  readonly bytes: number;
  end(): Promise<BlobRef>;
  /** Drops what was written. */
  discard(): Promise<void>;
}

/** The outcome of one effect: the measured fields of its `tool-ended`. */
export interface EffectRecord {
  readonly status: ToolStatus;
  /** The output that a model sees, cut to size. */
  readonly output: string;
  readonly full: BlobRef | null;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** How long the effect waited for a person. This does not count as time of the turn. */
  readonly waitedMs?: number | undefined;
  /** Nothing ran: this is the result of an earlier, equal call. */
  readonly reusedFrom?: string | undefined;
  /** JSON. In a replay it comes from `data`, or from `dataBlob` if it was too large. */
  readonly data: unknown;
  /** Images that the effect returned, in blobs. */
  readonly pictures?: readonly Attachment[] | undefined;
}

/**
 * How something outside of the log is done: a tool's run, a recipe's action. Live, it runs. In a replay nothing runs,
 * and the record is built from the recorded `tool-ended` of that id.
 */
export interface Effects {
  readonly replaying: boolean;
  perform(toolCallId: string, run: () => Promise<EffectRecord>): Promise<EffectRecord>;
}
