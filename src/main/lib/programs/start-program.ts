import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { batchLine, isBatchFile } from './batch-line.ts';
import { isWholePath } from '../files/is-within.ts';

export interface ProgramStart {
  /** Its absolute path; nothing is looked up. */
  readonly program: string;
  readonly args: readonly string[];
  /** Its current folder, an absolute path. */
  readonly folder: string;
  /** All its environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** With `ipc` in it, a Node program can be sent messages. */
  readonly stdio: StdioOptions;
  /** In a process group of its own, so that it can outlive this process or be killed with everything it started. */
  readonly detached?: boolean;
  /** It has windows that the user should see. */
  readonly isSeen?: boolean;
  /** Windows: the arguments are one line that is already quoted. */
  readonly isQuoted?: boolean;
}

/**
 * The only place that starts a program on the host. Use `host-programs.ts`, which sets folder and environment; call
 * this directly only with all of that in hand. Throws if a path is not absolute, because then the current folder would
 * decide what runs.
 */
export function startProgram(start: ProgramStart): ChildProcess {
  const { program, args, folder, env, stdio } = start;
  for (const path of [program, folder]) {
    if (!isWholePath(path, process.platform))
      throw new Error(`"${path}" is not a full path, so the program was not started.`);
  }
  const isBatch = process.platform === 'win32' && isBatchFile(program);
  const run = isBatch ? batchLine(program, args, env['SystemRoot'] ?? String.raw`C:\Windows`) : { program, args };
  return spawn(run.program, [...run.args], {
    cwd: folder,
    env,
    stdio,
    shell: false,
    detached: start.detached ?? false,
    windowsHide: start.isSeen !== true,
    windowsVerbatimArguments: isBatch || (start.isQuoted ?? false),
  });
}
