import type { Failure, Reply } from '@shared/errors.ts';
import type { SandboxTier } from '@shared/events/sandbox-events.ts';
import type { NetworkDecision, NetworkLimits } from './network/network-decision.ts';
import type { EntryKind } from './files/entry-kind.ts';

/**
 * Asks the user whether a command may go on that was paused because the disk is nearly full. Resolves to `stop` on
 * abort.
 */
export type AskAboutDisk = (text: string, signal: AbortSignal) => Promise<'go-on' | 'stop'>;

/**
 * Where everything happens that a model asks for: all commands and all file operations. Paths are relative to the
 * workspace, with `/`, and a path that leads out of it is refused. Results are untrusted data. Expected failures are
 * values; a method throws only for a bug.
 */
export interface Sandbox {
  readonly tier: SandboxTier;
  /** For users: what is protected and what is not, and the limits in force. */
  readonly description: SandboxDescription;
  /** The path of the workspace for commands (`/workspace` in a container). */
  readonly workspacePath: string;
  /** A folder outside the workspace for trial copies, emptied at the end. Null: there is none. */
  readonly scratchPath: string | null;
  /**
   * Runs one command to its end. Background processes that it leaves end with it. At the deadline or on abort,
   * everything that it started is killed, even if it has detached itself.
   */
  exec(request: ExecRequest, signal: AbortSignal): Promise<Reply<ExecResult>>;
  /**
   * Runs one command that the user allowed to reach some hosts. It runs in its own container beside the session's,
   * with the same folders and no network either. Through the app it can reach only those hosts, by name, on port 80
   * (plain HTTP) and 443 (TLS). The caller must have the approval. Fails with `refused` in a tier that cannot
   * enforce this.
   */
  runWithNetwork(request: NetworkRequest, signal: AbortSignal): Promise<Reply<NetworkResult>>;
  /** Commands that run beside the others on purpose, such as a development server. Null: not supported. */
  readonly backgroundProcesses: BackgroundProcesses | null;
  /** Starts a process that lives until `close` or the end of the sandbox. `signal` only affects the start. */
  open(request: OpenRequest, signal: AbortSignal): Promise<Reply<OpenProcess>>;
  readonly files: SandboxFiles;
  /** Files of the workspace that also exist elsewhere. */
  readonly links: SandboxLinks;
  /** The current state and resource use. Starts nothing. */
  look(signal: AbortSignal): Promise<SandboxLook>;
  /** Starts what commands need, if that was put off. A turn that is more than a conversation calls it first. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Call it at the end of a turn. It checks places that are not tracked for changes. Never rejects. */
  settle(signal: AbortSignal): Promise<void>;
  /** Kills everything and removes the sandbox. Safe to call twice. Never rejects. */
  dispose(): Promise<void>;
}

/** The files of the workspace, as commands see them. */
export interface SandboxFiles {
  /**
   * The bytes of a regular file. Fails with `too-large` above `maxBytes` (default 4 MiB), `not-found`, or
   * `bad-input` for a folder or device.
   */
  read(path: string, options: ReadOptions, signal: AbortSignal): Promise<Reply<FileContent>>;
  /**
   * Reads many files at once, which is far cheaper than one by one. Takes paths as `scan` returns them. The result
   * has the files that are present, regular, readable and of at most `maxBytes` each, by path. The caller must limit
   * the total size.
   */
  readMany(
    paths: readonly string[],
    options: ReadOptions,
    signal: AbortSignal,
  ): Promise<Reply<ReadonlyMap<string, FileContent>>>;
  /**
   * Writes a whole file and makes folders as needed. Keeps the mode of an existing file. `expect` is the SHA-256
   * that the file must have (null: it must not exist). If it differs, nothing is written and the call fails with
   * `stale-file`.
   */
  write(path: string, bytes: Uint8Array, expect: string | null | undefined, signal: AbortSignal): Promise<Reply<void>>;
  delete(path: string, expect: string | undefined, signal: AbortSignal): Promise<Reply<void>>;
  /**
   * The path in the workspace that a path leads to when its links are followed. Parts that do not exist yet stay as
   * they are.
   */
  realPath(path: string, signal: AbortSignal): Promise<Reply<string>>;
  /** Sets the permissions of a regular file, as `chmod` does. Refuses a link. */
  setMode(path: string, mode: number, signal: AbortSignal): Promise<Reply<void>>;
  /** Files and folders under `path`, sorted by path. Skips `.git` and what ignore files name, unless `all` is set. */
  list(path: string, options: ListOptions, signal: AbortSignal): Promise<Reply<Listing>>;
  search(query: SearchQuery, signal: AbortSignal): Promise<Reply<SearchResult>>;
  stat(path: string, signal: AbortSignal): Promise<Reply<FileStat>>;
  /** Metadata of every file that is tracked for changes, with a fingerprint that differs if the file was touched. */
  scan(signal: AbortSignal): Promise<Reply<ScannedFiles>>;
}

/**
 * Services. Each runs in its own container on the network of the session's container. So commands reach it by
 * `localhost`, and it can end without affecting them. Services end with the sandbox, with a cancelled turn, and when
 * the sandbox is lost.
 */
export interface BackgroundProcesses {
  /** Fails with `too-large` if the largest number of services is running already. */
  start(request: BackgroundProcessRequest, signal: AbortSignal): Promise<Reply<BackgroundProcessState>>;
  /** All running ones of this session and the last few that have ended, oldest first. */
  list(): readonly BackgroundProcessState[];
  /** The end of its output. Null: no process has this id. */
  read(id: string): Promise<BackgroundProcessOutput | null>;
  /** Ends the process and all that it started. Does nothing if it has ended already. Null: no process has this id. */
  stop(id: string): Promise<BackgroundProcessState | null>;
  /** Never rejects. */
  stopAll(): Promise<void>;
}

export interface BackgroundProcessRequest {
  readonly command: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface BackgroundProcessState {
  /** `s1`, `s2` and so on, in the order of their start. */
  readonly id: string;
  readonly command: string;
  /** `lost` means that the sandbox was lost. */
  readonly status: 'running' | 'exited' | 'stopped' | 'lost';
  readonly exitCode: number | null;
  readonly outputBytes: number;
}

export interface BackgroundProcessOutput {
  readonly state: BackgroundProcessState;
  /** Both streams in order of arrival, at most the last 32 KiB. */
  readonly text: string;
}

/** Hard links that lead out of the workspace. Through them, a command could change files outside. */
export interface SandboxLinks {
  /** The links found at the start, without those that were broken since. Null: none. */
  found(): FoundLinks | null;
  /**
   * Replaces each of them with a separate file of the same bytes. The other names of the file are not touched.
   * Rejects on abort.
   */
  break(signal: AbortSignal): Promise<BrokenLinks>;
}

export interface FoundLinks {
  /** `subject` is a sentence. `text` is a list, in which files made by tools are counted by folder. */
  readonly subject: string;
  readonly text: string;
  readonly count: number;
}

export interface BrokenLinks {
  readonly broken: number;
  /** The files that were not changed, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

export interface SandboxLook {
  readonly isRunning: boolean;
  readonly masked: readonly string[];
  readonly pinned: readonly { readonly path: string; readonly readOnly: boolean }[];
  /**
   * Null: it could not be measured. `cpuNs` is the time used since the start, read at `readNs` of the engine's
   * clock.
   */
  readonly usage: {
    readonly cpuNs: number;
    readonly readNs: number;
    readonly memoryBytes: number | null;
    readonly memoryLimitBytes: number | null;
    readonly processes: number | null;
  } | null;
}

export interface SandboxDescription {
  readonly tier: SandboxTier;
  readonly image: string | null;
  readonly text: string;
  readonly limits: Readonly<Record<string, string | number | boolean>>;
  /** What a model should know about the project's installed packages. Absent: nothing to say. */
  readonly notes?: readonly string[];
  /** Which packages are not installed, for a model whose command lacks one. Absent: none. */
  readonly absent?: readonly string[];
  readonly warnings: readonly string[];
  /** Why there are no commands although they were wanted, and what to do. Absent: nothing is missing. */
  readonly missing?: Failure;
}

export interface ExecRequest {
  /** Run by `bash -c`, or by `sh -c` without bash. */
  readonly command: string;
  /** Absolute within the sandbox, or relative to the workspace. Default: the workspace. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** Called for every chunk, in order of arrival. Must not throw. */
  readonly onOutput?: (chunk: OutputChunk) => void;
  /** How many bytes of each stream the result keeps: half from the head, half from the tail. Default: 256 KiB. */
  readonly keepBytes?: number;
}

export interface NetworkRequest extends ExecRequest {
  /** Exact names without ports. A name that cannot be listed fails with `bad-input`. */
  readonly hosts: readonly string[];
  /** Missing fields are taken from `usualLimits`. */
  readonly limits?: Partial<NetworkLimits>;
  /** Mounted in addition to the session's mounts. */
  readonly mounts?: readonly ExtraMount[];
  /**
   * Keeps what the command installs with a package manager, if it names one and exits with 0. `project` keeps it for
   * later sessions of the project, and needs the user's approval of this very command. `session` keeps it for this
   * session. Absent: nothing is kept.
   */
  readonly keepsPackages?: 'session' | 'project';
  /** Called for every connection when it is refused or over. Must not throw. */
  readonly onDecision?: (decision: NetworkDecision) => void;
}

/** A file or folder of the host, or an existing volume, at a path in the container. */
export interface ExtraMount {
  readonly type: 'bind' | 'volume';
  readonly source: string;
  /** Absolute. */
  readonly target: string;
  readonly readOnly: boolean;
}

export interface NetworkResult extends ExecResult {
  /**
   * The requested connections in the order in which they ended. Only the first 1,000; `onDecision` gets all of them.
   */
  readonly decisions: readonly NetworkDecision[];
  /**
   * What happened to the packages that it installed, one sentence each. Absent: the command named no package
   * manager.
   */
  readonly packages?: readonly PackageOutcome[];
}

export interface PackageOutcome {
  readonly isKept: boolean;
  /** For users and models. */
  readonly text: string;
}

export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

export interface ExecResult {
  /** `lost` means that its end is unknown, because the engine or the container died. The exit code is then null. */
  readonly outcome: 'exited' | 'timed-out' | 'cancelled' | 'killed' | 'lost';
  readonly exitCode: number | null;
  /**
   * Set with `killed`: the cause. `signal` means that the command itself or another one sent it, and no limit of the
   * sandbox.
   */
  readonly killedFor?: 'memory' | 'output' | 'disk' | 'signal';
  /** The kept text. If bytes were dropped, a line in the middle says how many. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
}

export interface OpenRequest {
  readonly command: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Runs the process in its own container that can reach only these hosts, as with `runWithNetwork`. The caller must
   * have the approval. Fails with `refused` in a tier that cannot enforce this.
   */
  readonly hosts?: readonly string[];
  /** Called for every connection when it is refused or over. Must not throw. */
  readonly onDecision?: (decision: NetworkDecision) => void;
  readonly onOutput: (chunk: OutputChunk) => void;
}

export interface OpenProcess {
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<{ readonly exitCode: number | null }>;
  /** Kills it and everything it started. */
  close(): Promise<void>;
}

export interface ReadOptions {
  readonly maxBytes?: number;
}

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly mode: number;
}

export interface ListOptions {
  readonly depth?: number;
  readonly all?: boolean;
  /** The most entries (default 2,000). `truncated` says whether there are more. */
  readonly limit?: number;
}

export interface Listing {
  readonly entries: readonly ListEntry[];
  /** There are more entries: above the limit, deeper than any list goes, or in a folder with too many to look at. */
  readonly truncated: boolean;
  /** Folders that could not be read completely, sorted. Their permissions forbid it, or they are too deep. */
  readonly unseen: readonly string[];
}

/** The result of a look at all files. */
export interface ScannedFiles {
  readonly files: ReadonlyMap<string, ScannedFile>;
  /** As in a listing. Files in these folders are missing here, but may exist. With `.`, that may be any. */
  readonly unseen: readonly string[];
  /** There are more files than are looked at: those of upper folders are here, and `.` is unseen. Absent: no. */
  readonly isCut?: true;
  /** Files and folders that are hidden. They are missing here, too. */
  readonly hidden?: readonly string[];
}

export interface ListEntry {
  readonly path: string;
  readonly kind: EntryKind;
  readonly sizeBytes: number;
}

export interface SearchQuery {
  /** A regular expression, or plain text with `literal`. */
  readonly pattern: string;
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  /** Each match alone, without the rest of its line. A line then has an entry for each match in it. */
  readonly matchesOnly?: boolean;
  /** Only files that match this glob. */
  readonly glob?: string;
  readonly path?: string;
  readonly limit?: number;
}

export interface SearchResult {
  readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly truncated: boolean;
}

export interface FileStat {
  readonly kind: EntryKind;
  readonly sizeBytes: number;
  readonly mode: number;
  readonly modifiedMs: number;
}

/** If the name is not valid text, the path contains U+FFFD and cannot be opened. */
export interface ScannedFile {
  readonly sizeBytes: number;
  readonly mode: number;
  /** Changes whenever the content may have changed (size, mtime in ns, inode). */
  readonly fingerprint: string;
  /** When the file was last touched, in milliseconds since 1970. Only from a look at the host. */
  readonly touchedMs?: number;
}
