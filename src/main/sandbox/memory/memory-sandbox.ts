import { createHash } from 'node:crypto';
import { failure, success, type Reply } from '@shared/errors.ts';
import { keepOutput } from '../kept-output.ts';
import { workspaceRelative } from '../paths.ts';
import type {
  ExecRequest,
  ExecResult,
  FileStat,
  OpenProcess,
  OpenRequest,
  OutputChunk,
  Sandbox,
  ScannedFile,
} from '../sandbox.ts';
import { foldersOf, listMemory, searchMemory } from './memory-tree.ts';

export interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Grows with every change of any file. */
  readonly version: number;
}

/** What a command did; what is not given is empty, exit code 0, `exited`. */
export interface MemoryExec {
  readonly exitCode?: number | null;
  readonly outcome?: ExecResult['outcome'];
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string | Uint8Array;
  readonly durationMs?: number;
}

export type MemoryExecHandler = (
  request: ExecRequest,
  sandbox: MemorySandbox,
  signal: AbortSignal,
) => MemoryExec | Promise<MemoryExec>;

export interface MemorySandboxOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Plays the shell. Without one every command is "not found" (127), as in an empty container. */
  readonly exec?: MemoryExecHandler;
  readonly hasScratch?: boolean;
}

/** A sandbox for tests, benches and scripted sessions, with a way for a test to look and to act as another person. */
export interface MemorySandbox extends Sandbox {
  /** Files by path; changes made through `put` and `remove`. */
  readonly files: ReadonlyMap<string, MemoryFile>;
  put(path: string, content: string | Uint8Array, mode?: number): void;
  remove(path: string): void;
  /** The text of a file; null when it is not there. */
  text(path: string): string | null;
  /** Every command that was run, in order. */
  readonly commands: readonly string[];
  readonly disposed: boolean;
}

const workspacePath = '/workspace';
const defaultReadBytes = 4 * 1024 * 1024;
const defaultKeepBytes = 256 * 1024;
const noCommand: MemoryExecHandler = ({ command }) => ({
  exitCode: 127,
  stderr: `sh: ${command.split(' ')[0] ?? ''}: not found\n`,
});

export function createMemorySandbox(options: MemorySandboxOptions = {}): MemorySandbox {
  const files = new Map<string, MemoryFile>();
  const commands: string[] = [];
  let version = 0;
  let isDisposed = false;

  const put = (path: string, content: string | Uint8Array, mode?: number): void => {
    version += 1;
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
    files.set(path, { bytes, mode: mode ?? files.get(path)?.mode ?? 0o644, version });
  };
  for (const [path, content] of Object.entries(options.files ?? {})) put(path, content);

  const at = <T>(path: string, signal: AbortSignal, work: (inside: string) => Reply<T>): Promise<Reply<T>> => {
    if (isDisposed) return Promise.resolve(failure('sandbox-lost', 'The sandbox was closed.'));
    if (signal.aborted) return Promise.resolve(failure('cancelled', 'It was cancelled.'));
    const inside = workspaceRelative(path, workspacePath);
    return Promise.resolve(inside.ok ? work(inside.value) : inside);
  };
  const checkExpected = (path: string, expect: string | null | undefined): Reply<never> | null => {
    const file = files.get(path);
    const isAsExpected =
      expect === undefined ||
      (expect === null ? file === undefined : file !== undefined && hashOf(file.bytes) === expect);
    return isAsExpected
      ? null
      : failure(
          'stale-file',
          `${path} is not what it was when it was last read; nothing was written.`,
          'Read it again.',
        );
  };

  const sandbox: MemorySandbox = {
    tier: 'memory',
    description: { tier: 'memory', image: null, text: 'In memory: nothing real is touched.', limits: {}, warnings: [] },
    workspacePath,
    scratchPath: options.hasScratch === false ? null : '/scratch',
    files,
    commands,
    put,
    remove: (path) => void files.delete(path),
    text: (path) => {
      const file = files.get(path);
      return file === undefined ? null : new TextDecoder().decode(file.bytes);
    },
    get disposed() {
      return isDisposed;
    },
    exec: async (request, signal) => {
      if (isDisposed) return failure('sandbox-lost', 'The sandbox was closed.');
      commands.push(request.command);
      return runHandler(options.exec ?? noCommand, { request, sandbox, signal });
    },
    open: (request, signal) => {
      if (isDisposed) return Promise.resolve(failure('sandbox-lost', 'The sandbox was closed.'));
      commands.push(request.command);
      return Promise.resolve(success(openHandler(options.exec ?? noCommand, { request, sandbox, signal })));
    },
    readFile: (path, { maxBytes = defaultReadBytes }, signal) =>
      at(path, signal, (inside) => {
        const file = files.get(inside);
        if (file === undefined) return missing(inside, files);
        if (file.bytes.length > maxBytes)
          return failure(
            'too-large',
            `${inside} has ${file.bytes.length} bytes; at most ${maxBytes} are read at once.`,
          );
        return success({ bytes: Uint8Array.from(file.bytes), sha256: hashOf(file.bytes), mode: file.mode });
      }),
    writeFile: (path, bytes, expect, signal) =>
      at(path, signal, (inside) => {
        if (isFolder(inside, files)) return failure('bad-input', `${inside} is a folder.`);
        const blocked = [...foldersOf(inside)].find((folder) => files.has(folder));
        if (blocked !== undefined)
          return failure('bad-input', `${inside} is not a folder, or lies below something that is none.`);
        const stale = checkExpected(inside, expect);
        if (stale !== null) return stale;
        put(inside, bytes);
        return success(undefined);
      }),
    deleteFile: (path, expect, signal) =>
      at(path, signal, (inside) => {
        if (!files.has(inside)) return missing(inside, files);
        const stale = checkExpected(inside, expect);
        if (stale !== null) return stale;
        files.delete(inside);
        return success(undefined);
      }),
    list: (path, listOptions, signal) =>
      at(path, signal, (inside) =>
        isFolder(inside, files) ? success(listMemory(files, inside, listOptions)) : notFolder(inside, files),
      ),
    search: (query, signal) =>
      at(query.path ?? '.', signal, (inside) => searchMemory(files, { ...query, path: inside })),
    stat: (path, signal) => at(path, signal, (inside) => statMemory(inside, files)),
    scan: (signal) => at('.', signal, () => success(scanMemory(files))),
    dispose: () => {
      isDisposed = true;
      return Promise.resolve();
    },
  };
  return sandbox;
}

interface Running<Request> {
  readonly request: Request;
  readonly sandbox: MemorySandbox;
  readonly signal: AbortSignal;
}

async function runHandler(
  handler: MemoryExecHandler,
  { request, sandbox, signal }: Running<ExecRequest>,
): Promise<Reply<ExecResult>> {
  const stopped = new AbortController();
  const ending = new Promise<MemoryExec>((resolve) => {
    const stop = (outcome: 'timed-out' | 'cancelled'): void => {
      resolve({ outcome, exitCode: null });
      stopped.abort();
    };
    const timer = setTimeout(() => stop('timed-out'), request.timeoutMs);
    const onAbort = (): void => stop('cancelled');
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    stopped.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
  const done = signal.aborted ? await ending : await Promise.race([handler(request, sandbox, stopped.signal), ending]);
  stopped.abort();
  const stdout = bytesOf(done.stdout);
  const stderr = bytesOf(done.stderr);
  if (stdout.length > 0) request.onOutput?.({ stream: 'stdout', bytes: stdout });
  if (stderr.length > 0) request.onOutput?.({ stream: 'stderr', bytes: stderr });
  return success({
    outcome: done.outcome ?? 'exited',
    exitCode: done.exitCode === undefined ? 0 : done.exitCode,
    stdout: kept(stdout, request.keepBytes),
    stderr: kept(stderr, request.keepBytes),
    stdoutBytes: stdout.length,
    stderrBytes: stderr.length,
    durationMs: done.durationMs ?? 0,
  });
}

function openHandler(handler: MemoryExecHandler, { request, sandbox, signal }: Running<OpenRequest>): OpenProcess {
  const closed = new AbortController();
  const { onOutput, ...rest } = request;
  const emit = (stream: OutputChunk['stream'], content: string | Uint8Array | undefined): void => {
    const bytes = bytesOf(content);
    if (bytes.length > 0) onOutput({ stream, bytes });
  };
  const finished = Promise.resolve(
    handler({ ...rest, timeoutMs: Number.MAX_SAFE_INTEGER }, sandbox, closed.signal),
  ).then((done) => {
    emit('stdout', done.stdout);
    emit('stderr', done.stderr);
    return { exitCode: done.exitCode === undefined ? 0 : done.exitCode };
  });
  const stopped = new Promise<{ exitCode: number | null }>((resolve) => {
    closed.signal.addEventListener('abort', () => resolve({ exitCode: null }), { once: true });
    signal.addEventListener('abort', () => closed.abort(), { once: true });
  });
  return {
    write: () => Promise.resolve(),
    ended: Promise.race([finished, stopped]),
    close: () => {
      closed.abort();
      return Promise.resolve();
    },
  };
}

type Files = ReadonlyMap<string, MemoryFile>;

function isFolder(path: string, files: Files): boolean {
  return path === '.' || [...files.keys()].some((file) => file.startsWith(`${path}/`));
}

function missing(path: string, files: Files): Reply<never> {
  return isFolder(path, files)
    ? failure('bad-input', `${path} is a folder.`)
    : failure('not-found', `There is no ${path}.`);
}

function notFolder(path: string, files: Files): Reply<never> {
  return files.has(path)
    ? failure('bad-input', `${path} is not a folder, or lies below something that is none.`)
    : failure('not-found', `There is no ${path}.`);
}

function statMemory(path: string, files: Files): Reply<FileStat> {
  const file = files.get(path);
  if (file !== undefined)
    return success({ kind: 'file', sizeBytes: file.bytes.length, mode: file.mode, modifiedMs: file.version });
  return isFolder(path, files)
    ? success({ kind: 'folder', sizeBytes: 0, mode: 0o755, modifiedMs: 0 })
    : failure('not-found', `There is no ${path}.`);
}

function scanMemory(files: Files): Map<string, ScannedFile> {
  return new Map(
    [...files].map(([path, { bytes, mode, version }]) => [
      path,
      { sizeBytes: bytes.length, mode, fingerprint: `${bytes.length}:${version}` },
    ]),
  );
}

function bytesOf(content: string | Uint8Array | undefined): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : (content ?? new Uint8Array());
}

function kept(bytes: Uint8Array, keepBytes: number | undefined): string {
  const output = keepOutput(keepBytes ?? defaultKeepBytes);
  output.push(bytes);
  return output.text();
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
