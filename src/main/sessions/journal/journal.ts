import type { Attachment } from '@shared/attachments/attachment.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { NewEvent, SessionEvent, Transient } from '@shared/events/events.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { ToolStatus } from '@shared/events/tool-events.ts';

/**
 * The one writer of one session, as the agent sees it: facts in, folded state out.
 * The live one writes to disk; the replayed one checks every fact against a recorded log.
 */
export interface Journal {
  readonly sessionId: string;
  /**
   * Stamps, redacts, writes, folds and publishes an event; resolved means: written, and on disk where the type
   * stands at a side effect. Rejects with AppError `disk-full` when it could not be written whole (nothing of it
   * remains then), and with `log-damaged` for anything appended after that failed to recover.
   */
  append(event: NewEvent): Promise<SessionEvent>;
  /** Sends a transient push to subscribers; never stored. */
  push(transient: Transient): void;
  /** Keeps the bytes as they are, as images of files must be. Rejects with AppError `disk-full`. */
  putBlob(bytes: Uint8Array): Promise<BlobRef>;
  /**
   * Keeps a text (a request, an output), secrets taken out. Of a text that grows, the pieces that stay should stay the
   * same strings: each is looked through by itself. Rejects with AppError `disk-full`.
   */
  putText(pieces: readonly string[]): Promise<BlobRef>;
  /** Null when the blob is gone. */
  getBlob(ref: BlobRef): Promise<Uint8Array | null>;
  /** A blob of output written as it comes, secrets taken out, for output too large to hold; `end` gives its name. */
  openBlob(): BlobSink;
  state(): SessionState;
  money(): MoneyState;
  /** The events from `fromSeq` (default 1) as they lie in the log. */
  read(fromSeq?: number): AsyncIterable<SessionEvent>;
  /** Milliseconds since 1970; in a replay the recorded clock. */
  now(): number;
  /** A new id (`call-…`), unique in the session; in a replay the recorded one. */
  newId(kind: 'turn' | 'call' | 'tool' | 'message' | 'approval'): string;
}

export interface BlobSink {
  write(bytes: Uint8Array): void;
  readonly bytes: number;
  end(): Promise<BlobRef>;
  /** Drops what was written. */
  discard(): Promise<void>;
}

/** What one effect leaves behind: the measured fields of its `tool-ended`. */
export interface EffectRecord {
  readonly status: ToolStatus;
  /** Capped: what a model sees. */
  readonly output: string;
  readonly full: BlobRef | null;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** How long a person was waited for in it; that is not the turn's time. */
  readonly waitedMs?: number | undefined;
  /** Nothing ran: the result is that of this equal call before. */
  readonly reusedFrom?: string | undefined;
  /** JSON. In a replay it comes from `data` or, where that was too large, from `dataBlob`. */
  readonly data: unknown;
  /** Images that came back, in blobs. */
  readonly pictures?: readonly Attachment[] | undefined;
}

/**
 * How something outside the log is done: a tool's run, a recipe's action. Live it is simply run;
 * in a replay the record is put together from the recorded `tool-ended` of that id and nothing runs.
 */
export interface Effects {
  readonly replaying: boolean;
  perform(toolCallId: string, run: () => Promise<EffectRecord>): Promise<EffectRecord>;
}
