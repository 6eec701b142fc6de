import { spawn } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure, success, type Reply } from '../../../src/shared/errors.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { ExecRequest, ExecResult, Sandbox } from '../../../src/main/sandbox/sandbox.ts';

/** A sandbox on a real folder without a container: its commands are ours, run by `sh` as they are. Only for tests. */
export function createFolderSandbox(workspacePath: string): Sandbox {
  const reading = createReadOnlySandbox({ workspacePath, because: null });
  const isAs = async (path: string, expect: string | null | undefined, signal: AbortSignal): Promise<boolean> => {
    if (expect === undefined) return true;
    const now = await reading.readFile(path, {}, signal);
    return (now.ok ? now.value.sha256 : null) === expect;
  };
  const stale = (path: string): Reply<never> => failure('stale-file', `${path} was changed.`);
  return {
    ...reading,
    tier: 'container',
    description: { ...reading.description, tier: 'container', limits: {}, warnings: [] },
    // A container starts nothing either for a call that was given up.
    exec: async (request, signal) =>
      signal.aborted ? failure('cancelled', 'It was cancelled.') : execHere(workspacePath, request, signal),
    realPath: async (path) => success(path),
    writeFile: async (path, bytes, expect, signal) => {
      if (!(await isAs(path, expect, signal))) return stale(path);
      await mkdir(dirname(join(workspacePath, path)), { recursive: true });
      await writeFile(join(workspacePath, path), bytes);
      return success(undefined);
    },
    deleteFile: async (path, expect, signal) => {
      if (!(await isAs(path, expect, signal))) return stale(path);
      await rm(join(workspacePath, path));
      return success(undefined);
    },
    setMode: async (path, mode) => {
      await chmod(join(workspacePath, path), mode);
      return success(undefined);
    },
  };
}

function execHere(cwd: string, { command }: ExecRequest, signal: AbortSignal): Promise<Reply<ExecResult>> {
  return new Promise((done) => {
    // Everything that the command started has the pipe, so it closes when the last of it has ended.
    const child = spawn('sh', ['-c', command], { cwd, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const stop = (): void => void child.kill('SIGKILL');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    child.once('close', (exitCode) => {
      const outcome = signal.aborted ? 'cancelled' : 'exited';
      const output = { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 };
      done(success({ outcome, exitCode, durationMs: 0, ...output }));
    });
  });
}
