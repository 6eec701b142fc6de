/** What a receipt is about. A month is that of this machine's time zone: `2026-11`. */
export type ReceiptSubject =
  | { readonly type: 'session'; readonly sessionId: string; readonly title: string | null }
  | { readonly type: 'project'; readonly project: string }
  | { readonly type: 'month'; readonly month: string };

/** What went to one place on one behalf. */
export interface ReceiptRow {
  readonly host: string;
  readonly port: number | null;
  /** Bytes of TCP, with handshakes and encryption. */
  readonly out: number;
  readonly in: number;
  readonly connections: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** A process ended in the middle, so more may have gone: at most this many bytes. Null: nobody knows how many. */
  readonly perhapsMore: number | null;
  readonly sessionId: string | null;
  /** Who sent: a model's name, a tool, a tool server or a command. */
  readonly by: { readonly kind: 'model' | 'tool' | 'server' | 'command' | 'unknown'; readonly name: string };
  /** Why it was allowed, as sentences. */
  readonly why: readonly string[];
  /** The files that were in it, as far as the log knows. Null: the log is gone, or nobody knows. */
  readonly files: readonly string[] | null;
}

/** Something that could have left and did not. */
export interface KeptHere {
  readonly kind: 'fence' | 'redacted' | 'denied' | 'refused' | 'local';
  /** How often. */
  readonly count: number;
  /** Bytes of prompts that stayed. Null: not known. */
  readonly bytes: number | null;
  readonly what: string;
  readonly sessionId: string;
}

/** A program with a network of its own: nobody counts what it sends. */
export interface UncountedProgram {
  readonly name: string;
  readonly count: number;
}

export interface Receipt {
  readonly format: 'dewpoint receipt 1';
  readonly about: ReceiptSubject;
  /** ISO, as all other times are in milliseconds since 1970. */
  readonly madeAt: string;
  readonly timeZone: string;
  readonly version: string;
  /**
   * `nothing`: no byte left, and no program ran that could send uncounted. `counted`: all that left is in `rows`.
   * `not-all`: programs that nobody counts ran, or the record or a log has a gap.
   */
  readonly verdict: 'nothing' | 'counted' | 'not-all';
  readonly out: number;
  readonly in: number;
  readonly rows: readonly ReceiptRow[];
  /** What tool servers that run for all sessions sent meanwhile. Only for a session that used them. */
  readonly shared: readonly ReceiptRow[];
  readonly kept: readonly KeptHere[];
  readonly uncounted: readonly UncountedProgram[];
  /** What moved inside of this machine, such as to a local model or the container engine. */
  readonly here: { readonly out: number; readonly in: number };
  readonly record: {
    /** When it begins. What was before was not counted. Null: there is none yet. */
    readonly since: number | null;
    /** The session or the month began before the record, so it cannot be whole. */
    readonly isPartial: boolean;
    /** Lines, or whole files, that could not be read. */
    readonly unreadable: number;
    /** Logs of sessions that could not be read as a whole: what stayed here, reasons and files are not whole. */
    readonly unreadLogs: number;
    /** Requests that could not be read: nobody knows which files were in them. */
    readonly unreadRequests: number;
  };
}
