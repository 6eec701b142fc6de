import type { Failure, Reply } from '@shared/errors.ts';
import type { SandboxTier } from '@shared/events/sandbox-events.ts';
import type { NetworkDecision, NetworkLimits } from './network/network-decision.ts';
import type { EntryKind } from './files/entry-kind.ts';

/** Asks a person, with a sentence, whether a command that stands still for want of disk space goes on. `stop` on abort. */
export type AskAboutDisk = (text: string, signal: AbortSignal) => Promise<'go-on' | 'stop'>;

/**
 * Where everything that a model asks for happens: all commands and all file operations, and nothing else.
 * Paths are relative to the workspace, with `/`; an implementation refuses one that leads out of it.
 * Results are untrusted data. Expected failures are values; a method throws only for a bug.
 */
export interface Sandbox {
  readonly tier: SandboxTier;
  /** What is protected and what is not, in words, and the limits in force. */
  readonly description: SandboxDescription;
  /** Where the workspace lies for commands (`/workspace` in a container). */
  readonly workspacePath: string;
  /** A folder outside the workspace for trial copies; emptied at the end. Null where there is none. */
  readonly scratchPath: string | null;
  /**
   * Runs one command to its end. What it leaves running in the background ends with it; at the deadline or on abort
   * everything it started is killed, also what has detached itself.
   */
  exec(request: ExecRequest, signal: AbortSignal): Promise<Reply<ExecResult>>;
  /**
   * Runs one command that a person let reach some hosts, in a container of its own beside the session's: the same
   * folders, no network either, and a way through the app to those hosts alone, by name, on port 80 (plain HTTP) and
   * 443 (TLS). Whoever calls has the approval. `refused` in a tier that cannot keep to the hosts.
   */
  runWithNetwork(request: NetworkRequest, signal: AbortSignal): Promise<Reply<NetworkResult>>;
  /** Commands that go on beside the others, on purpose (a development server); null where there are none. */
  readonly backgroundProcesses: BackgroundProcesses | null;
  /** Starts a process that lives until `close` or the end of the sandbox; `signal` counts for the start alone. */
  open(request: OpenRequest, signal: AbortSignal): Promise<Reply<OpenProcess>>;
  /** The bytes of a regular file; `too-large` above `maxBytes` (default 4 MiB), `not-found`, `bad-input` for a folder or device. */
  readFile(path: string, options: ReadOptions, signal: AbortSignal): Promise<Reply<FileContent>>;
  /**
   * Many files at once, which is far cheaper than one by one; paths as `scan` gives them. By path those that are there,
   * regular, readable and of at most `maxBytes` each; the others are left out. The caller bounds how much it is together.
   */
  readFiles(
    paths: readonly string[],
    options: ReadOptions,
    signal: AbortSignal,
  ): Promise<Reply<ReadonlyMap<string, FileContent>>>;
  /**
   * Writes a whole file, making folders as needed; keeps the mode of an existing file.
   * `expect`: the SHA-256 the file must have (null: must not exist); otherwise `stale-file`, and nothing was written.
   */
  writeFile(
    path: string,
    bytes: Uint8Array,
    expect: string | null | undefined,
    signal: AbortSignal,
  ): Promise<Reply<void>>;
  deleteFile(path: string, expect: string | undefined, signal: AbortSignal): Promise<Reply<void>>;
  /** Where a path of the workspace leads when its links are followed, as one of the workspace; what is not there yet stays. */
  realPath(path: string, signal: AbortSignal): Promise<Reply<string>>;
  /** Sets who may read, write and run a regular file, as `chmod` does; a link is refused. */
  setMode(path: string, mode: number, signal: AbortSignal): Promise<Reply<void>>;
  /** Files and folders under `path`, sorted by path; skips `.git` and what ignore files name unless `all`. */
  list(path: string, options: ListOptions, signal: AbortSignal): Promise<Reply<Listing>>;
  search(query: SearchQuery, signal: AbortSignal): Promise<Reply<SearchResult>>;
  stat(path: string, signal: AbortSignal): Promise<Reply<FileStat>>;
  /** Metadata of every file that changes are tracked for, with a fingerprint that differs when the file was touched. */
  scan(signal: AbortSignal): Promise<Reply<WorkspaceFiles>>;
  /** Files of the workspace that are also files elsewhere; missing where no command can write to one. */
  readonly links?: SandboxLinks;
  /** How it stands right now, and what it takes of the machine; starts nothing. Missing where there is nothing to measure. */
  readonly look?: (signal: AbortSignal) => Promise<SandboxLook>;
  /** Starts what commands need, where that was put off; a turn that is more than a conversation calls it first. Missing where it runs. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  /** At the end of a turn: looks at what changes do not track. Missing where commands change nothing on this machine. */
  readonly settle?: (signal: AbortSignal) => Promise<void>;
  /** Kills everything and removes the sandbox. Safe to call twice; never rejects. */
  dispose(): Promise<void>;
}

/**
 * Services: each in a container of its own on the network of the session's, so that commands reach it by `localhost` and
 * it ends by itself without touching them. They end with the sandbox, with a cancelled turn, and when the sandbox is lost.
 */
export interface BackgroundProcesses {
  /** `too-large` where as many run as may. */
  start(request: BackgroundProcessRequest, signal: AbortSignal): Promise<Reply<BackgroundProcessState>>;
  /** All of this session, the oldest first; the last few of those that have ended. */
  list(): readonly BackgroundProcessState[];
  /** What one printed, its end; null where there is none of that id. */
  read(id: string): BackgroundProcessOutput | null;
  /** Ends one with all it started. Null where there is none of that id; one that has ended stays as it was. */
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
  /** `s1`, `s2` … in the order of their start. */
  readonly id: string;
  readonly command: string;
  /** `lost`: the sandbox went away under it. */
  readonly status: 'running' | 'exited' | 'stopped' | 'lost';
  readonly exitCode: number | null;
  readonly outputBytes: number;
}

export interface BackgroundProcessOutput {
  readonly state: BackgroundProcessState;
  /** Both streams as they came, at most the last 32 KiB. */
  readonly text: string;
}

/** Hard links that lead out of the workspace, through which a command could change what lies outside. */
export interface SandboxLinks {
  /** As they were found at the start, less those that were broken since; null: none. */
  found(): FoundLinks | null;
  /** Makes each of them a file of its own, with the same bytes; the others are not touched. Rejects on abort. */
  break(signal: AbortSignal): Promise<BrokenLinks>;
}

export interface FoundLinks {
  /** In a sentence, and as a list in which what tools made is counted by folder. */
  readonly subject: string;
  readonly text: string;
  readonly count: number;
}

export interface BrokenLinks {
  readonly broken: number;
  /** What was left as it is, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

export interface SandboxLook {
  readonly isRunning: boolean;
  readonly masked: readonly string[];
  readonly pinned: readonly { readonly path: string; readonly readOnly: boolean }[];
  /** Null: it could not be measured. `cpuNs` has been used since its start, at `readNs` of the engine's clock. */
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
  /** What a model should know of what is installed for the project; missing where nothing is to be said. */
  readonly notes?: readonly string[];
  readonly warnings: readonly string[];
  /** Why there are no commands although they were wanted, and what to do; not there where nothing is missing. */
  readonly missing?: Failure;
}

export interface ExecRequest {
  /** Run by `bash -c` (`sh -c` where there is no bash). */
  readonly command: string;
  /** Absolute within the sandbox, or relative to the workspace. Default: the workspace. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** Called for every chunk as it comes, in order of arrival; must not throw. */
  readonly onOutput?: (chunk: OutputChunk) => void;
  /** How many bytes of each stream the result keeps: half from the head, half from the tail. Default 256 KiB. */
  readonly keepBytes?: number;
}

export interface NetworkRequest extends ExecRequest {
  /** Exact names, without ports; one that cannot be listed is `bad-input`. */
  readonly hosts: readonly string[];
  /** What is missing is as `usualLimits` has it. */
  readonly limits?: Partial<NetworkLimits>;
  /** Mounted beside what a session has. */
  readonly mounts?: readonly ExtraMount[];
  /**
   * What the command installs with a package manager that it names is kept, where it ends with 0: for later sessions of
   * the project where a person saw this very command, else for its session. Missing: nothing is kept.
   */
  readonly keepsPackages?: 'session' | 'project';
  /** Called for every connection that was refused or is over, as it happens; must not throw. */
  readonly onDecision?: (decision: NetworkDecision) => void;
}

/** A file or folder of the host, or a volume that exists already, at a place in the container. */
export interface ExtraMount {
  readonly type: 'bind' | 'volume';
  readonly source: string;
  /** Absolute. */
  readonly target: string;
  readonly readOnly: boolean;
}

export interface NetworkResult extends ExecResult {
  /** Connections that were asked for, in the order of their end; the first 1,000 (`onDecision` hears of all). */
  readonly decisions: readonly NetworkDecision[];
  /** What became of packages that it installed, a sentence each; missing where it named no package manager. */
  readonly packages?: readonly PackageOutcome[];
}

export interface PackageOutcome {
  readonly isKept: boolean;
  /** For a person and a model. */
  readonly text: string;
}

export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

export interface ExecResult {
  /** `lost`: nobody knows how it ended (the engine or the container died); the exit code is then null. */
  readonly outcome: 'exited' | 'timed-out' | 'cancelled' | 'killed' | 'lost';
  readonly exitCode: number | null;
  /** With `killed`: for what. `signal`: by itself or by another command, not for anything that is watched here. */
  readonly killedFor?: 'memory' | 'output' | 'disk' | 'signal';
  /** Text as kept; where bytes were dropped a line in the middle says how many. */
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
   * It runs in a container of its own with a way to these hosts alone, as `runWithNetwork` has it. Whoever calls has the
   * approval. `refused` in a tier that cannot keep to the hosts.
   */
  readonly hosts?: readonly string[];
  readonly onOutput: (chunk: OutputChunk) => void;
}

export interface OpenProcess {
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the process has ended; never rejects. */
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
  /** At most so many entries (default 2,000); `truncated` says that there are more. */
  readonly limit?: number;
}

export interface Listing {
  readonly entries: readonly ListEntry[];
  /** There are more: above the limit, or deeper than any list goes. */
  readonly truncated: boolean;
  /** Folders that could not be looked through whole, sorted: their permissions do not allow it, or they lie too deep. */
  readonly unseen: readonly string[];
}

/** What a look at all files found. */
export interface WorkspaceFiles {
  readonly files: ReadonlyMap<string, ScannedFile>;
  /** As of a listing: what lies in these is not among the files, and may be there. */
  readonly unseen: readonly string[];
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

/** Its path has U+FFFD in it where the name is no text: then it cannot be opened. */
export interface ScannedFile {
  readonly sizeBytes: number;
  readonly mode: number;
  /** Changes whenever the content may have changed (size, mtime in ns, inode). */
  readonly fingerprint: string;
}
