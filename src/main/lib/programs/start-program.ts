import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { batchLine, isBatchFile } from './batch-line.ts';
import { isWholePath } from './search-path.ts';

export interface ProgramStart {
  /** Its whole path: nothing is looked up. */
  readonly program: string;
  readonly args: readonly string[];
  /** The folder it stands in, a whole path. */
  readonly folder: string;
  /** All the variables it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** With `ipc` among them it can be sent messages, where it is Node. */
  readonly stdio: StdioOptions;
  /** In a group of its own, so that it can outlive us or be ended with all it started. */
  readonly detached?: boolean;
  /** It has windows that a person is to see. */
  readonly isSeen?: boolean;
  /** Windows: the arguments are one line that is quoted already. */
  readonly isQuoted?: boolean;
}

/**
 * The one place that starts a program on the host. Go through `host-programs.ts`, which says where a program stands and
 * what it gets; only what has all of that already starts one here. Throws where a path is not whole: then the folder of
 * the moment would decide what runs.
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
