import { failure, success, type Reply } from '@shared/errors.ts';
import { keepOutput } from '../../../src/main/sandbox/kept-output.ts';
import { workspaceRelative } from '../../../src/main/sandbox/files/workspace-relative.ts';
import type {
  ExecRequest,
  ExecResult,
  OpenProcess,
  OpenRequest,
  OutputChunk,
  Sandbox,
  SandboxFiles,
} from '../../../src/main/sandbox/sandbox.ts';
import { readFilesSingly } from '../../../src/main/sandbox/files/read-files-singly.ts';
import { createMemoryFiles, type MemoryFile, type MemoryFiles } from './memory-files.ts';
import { listMemory, searchMemory } from './memory-tree.ts';

/** What a command did. Defaults: empty output, exit code 0, `exited`. */
interface MemoryExec {
  readonly exitCode?: number | null;
  readonly outcome?: ExecResult['outcome'];
  readonly killedFor?: NonNullable<ExecResult['killedFor']>;
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
  /** Plays the shell. Without it, every command is "not found" (127), as in an empty container. */
  readonly exec?: MemoryExecHandler;
  readonly hasScratch?: boolean;
}

/**
 * A sandbox in memory for tests, benches and scripted sessions. Tests can look into it, and change files as another
 * program would.
 */
export interface MemorySandbox extends Sandbox {
  /** Files by path. Change them with `put` and `remove`. */
  readonly contents: ReadonlyMap<string, MemoryFile>;
  put(path: string, content: string | Uint8Array, mode?: number): void;
  remove(path: string): void;
  /** The text of a file. Null: it does not exist. */
  text(path: string): string | null;
  /** Every command that was run, in order. */
  readonly commands: readonly string[];
  readonly disposed: boolean;
}

const workspacePath = '/workspace';
const defaultKeepBytes = 256 * 1024;
const noCommand: MemoryExecHandler = ({ command }) => ({
  exitCode: 127,
  stderr: `sh: ${command.split(' ')[0] ?? ''}: not found\n`,
});

export function createMemorySandbox(options: MemorySandboxOptions = {}): MemorySandbox {
  const store = createMemoryFiles(options.files ?? {});
  const commands: string[] = [];
  const handler = options.exec ?? noCommand;
  let isDisposed = false;

  const at: At = (path, signal, work) => {
    if (isDisposed) return Promise.resolve(closed);
    if (signal.aborted) return Promise.resolve(failure('cancelled', 'It was cancelled.'));
    const inside = workspaceRelative(path, workspacePath);
    return Promise.resolve(inside.ok ? work(inside.value) : inside);
  };

  const sandbox: MemorySandbox = {
    tier: 'memory',
    description: { tier: 'memory', image: null, text: 'In memory: nothing real is touched.', limits: {}, warnings: [] },
    workspacePath,
    scratchPath: options.hasScratch === false ? null : '/scratch',
    backgroundProcesses: null,
    contents: store.files,
    commands,
    put: store.put,
    remove: store.remove,
    text: (path) => {
      const file = store.files.get(path);
      return file === undefined ? null : new TextDecoder().decode(file.bytes);
    },
    get disposed() {
      return isDisposed;
    },
    exec: async (request, signal) => {
      if (isDisposed) return closed;
      commands.push(request.command);
      return runHandler(handler, { request, sandbox, signal });
    },
    runWithNetwork: () =>
      Promise.resolve(failure('refused', 'A sandbox in memory has no network to give.', 'Use the container tier.')),
    open: (request, signal) => {
      if (isDisposed) return Promise.resolve(closed);
      if (signal.aborted) return Promise.resolve(failure('cancelled', 'It was cancelled.'));
      commands.push(request.command);
      return Promise.resolve(success(openHandler(handler, { request, sandbox })));
    },
    files: fileOperations(store, at),
    links: { found: () => null, break: async () => ({ broken: 0, left: [] }) },
    prepare: async () => undefined,
    settle: async () => undefined,
    look: async () => ({ isRunning: true, masked: [], pinned: [], usage: null }),
    dispose: () => {
      isDisposed = true;
      return Promise.resolve();
    },
  };
  return sandbox;
}

const closed = failure('sandbox-lost', 'The sandbox was closed.');

type At = <T>(
  path: string,
  signal: AbortSignal,
  work: (inside: string) => Reply<T> | Promise<Reply<T>>,
) => Promise<Reply<T>>;

function fileOperations(store: MemoryFiles, at: At): SandboxFiles {
  const { files } = store;
  const read: SandboxFiles['read'] = (path, options, signal) =>
    at(path, signal, (inside) => store.read(inside, options.maxBytes));
  return {
    read,
    readMany: (paths, options, signal) => readFilesSingly(read, paths, { options, signal }),
    write: (path, bytes, expect, signal) => at(path, signal, (inside) => store.write(inside, bytes, expect)),
    delete: (path, expect, signal) => at(path, signal, (inside) => store.delete(inside, expect)),
    realPath: (path, signal) => at(path, signal, (inside) => success(inside)),
    setMode: (path, mode, signal) => at(path, signal, (inside) => store.setMode(inside, mode)),
    list: (path, options, signal) => at(path, signal, (inside) => listMemory(files, inside, options)),
    search: (query, signal) =>
      at(query.path ?? '.', signal, (inside) => searchMemory(files, { ...query, path: inside })),
    stat: (path, signal) => at(path, signal, (inside) => store.stat(inside)),
    scan: (signal) => at('.', signal, () => success(store.scan())),
  };
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
    ...(done.killedFor === undefined ? {} : { killedFor: done.killedFor }),
    stdout: kept(stdout, request.keepBytes),
    stderr: kept(stderr, request.keepBytes),
    stdoutBytes: stdout.length,
    stderrBytes: stderr.length,
    durationMs: done.durationMs ?? 0,
  });
}

function openHandler(
  handler: MemoryExecHandler,
  { request, sandbox }: Omit<Running<OpenRequest>, 'signal'>,
): OpenProcess {
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

function bytesOf(content: string | Uint8Array | undefined): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : (content ?? new Uint8Array());
}

function kept(bytes: Uint8Array, keepBytes: number | undefined): string {
  const output = keepOutput(keepBytes ?? defaultKeepBytes);
  output.push(bytes);
  return output.text();
}
