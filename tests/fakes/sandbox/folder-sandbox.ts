import { spawn } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { failure, success, type Reply } from '../../../src/shared/errors.ts';
import { keepOutput } from '../../../src/main/sandbox/kept-output.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { ExecRequest, ExecResult, Sandbox } from '../../../src/main/sandbox/sandbox.ts';

export interface FolderSandboxOptions {
  /** An existing folder for trial copies. */
  readonly scratchPath?: string;
  /** A stop ends all that a command started. Absent: a kill of this process's group ends its commands, too. */
  readonly hasOwnGroups?: boolean;
}

/**
 * A sandbox on a real folder without a container: its commands are ours, run by `sh` as they are. Only for tests and
 * benches.
 */
export function createFolderSandbox(workspacePath: string, options: FolderSandboxOptions = {}): Sandbox {
  const { scratchPath = null, hasOwnGroups = false } = options;
  const reading = createReadOnlySandbox({ workspacePath, because: null });
  const isAs = async (path: string, expect: string | null | undefined, signal: AbortSignal): Promise<boolean> => {
    if (expect === undefined) return true;
    const now = await reading.files.read(path, {}, signal);
    return (now.ok ? now.value.sha256 : null) === expect;
  };
  const stale = (path: string): Reply<never> => failure('stale-file', `${path} was changed.`);
  return {
    ...reading,
    tier: 'container',
    description: { ...reading.description, tier: 'container', limits: {}, warnings: [] },
    scratchPath,
    // A container starts nothing either for a call that was given up.
    exec: async (request, signal) =>
      signal.aborted
        ? failure('cancelled', 'It was cancelled.')
        : execHere({ root: workspacePath, hasOwnGroups }, request, signal),
    files: {
      ...reading.files,
      realPath: async (path) => success(path),
      write: async (path, bytes, expect, signal) => {
        if (!(await isAs(path, expect, signal))) return stale(path);
        await mkdir(dirname(join(workspacePath, path)), { recursive: true });
        await writeFile(join(workspacePath, path), bytes);
        return success(undefined);
      },
      delete: async (path, expect, signal) => {
        if (!(await isAs(path, expect, signal))) return stale(path);
        await rm(join(workspacePath, path));
        return success(undefined);
      },
      setMode: async (path, mode) => {
        await chmod(join(workspacePath, path), mode);
        return success(undefined);
      },
    },
  };
}

const keptBytes = 256 * 1024;

// Not what npm adds: the compiler of this checkout is no language server of a made-up project.
const ownPrograms = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));

/** This Node comes first in the path, and nothing of the test runner around is inherited. */
const environment = {
  PATH: [dirname(process.execPath), ...ownPrograms].join(delimiter),
  HOME: process.env['HOME'] ?? '/',
  LANG: 'C.UTF-8',
};

interface Place {
  readonly root: string;
  readonly hasOwnGroups: boolean;
}

function execHere(
  { root, hasOwnGroups }: Place,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<Reply<ExecResult>> {
  const { command, cwd = '.', env = {}, timeoutMs, stdin, onOutput, keepBytes = keptBytes } = request;
  const kept = { stdout: keepOutput(keepBytes), stderr: keepOutput(keepBytes) };
  const begun = performance.now();
  let outcome: ExecResult['outcome'] = 'exited';
  return new Promise((done) => {
    const child = spawn('sh', ['-c', command], {
      cwd: resolve(root, cwd),
      env: { ...environment, ...env },
      detached: hasOwnGroups,
      stdio: 'pipe',
    });
    const stop = (how: ExecResult['outcome']): void => {
      outcome = how;
      try {
        if (child.pid !== undefined) process.kill(hasOwnGroups ? -child.pid : child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    const cancel = (): void => stop('cancelled');
    const timer = setTimeout(() => stop('timed-out'), timeoutMs);
    signal.addEventListener('abort', cancel, { once: true });
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].on('data', (bytes: Buffer) => {
        kept[stream].push(bytes);
        onOutput?.({ stream, bytes });
      });
    // A command need not read its input.
    child.stdin.on('error', () => undefined).end(stdin ?? '');
    // Everything that the command started has the pipes, so they close when the last of it has ended.
    child.once('close', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      const { stdout, stderr } = kept;
      done(
        success({
          outcome,
          exitCode: outcome === 'exited' ? code : null,
          stdout: stdout.text(),
          stderr: stderr.text(),
          stdoutBytes: stdout.totalBytes,
          stderrBytes: stderr.totalBytes,
          durationMs: performance.now() - begun,
        }),
      );
    });
  });
}
