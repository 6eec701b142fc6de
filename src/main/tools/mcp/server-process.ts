import { isAbsolute } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { howToGetProgram } from '../servers/program-needs.ts';
import { batchProblem, isBatchFile } from '../../lib/programs/batch-line.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';

export type ProgramDefinition = Extract<ServerDefinition, { kind: 'stdio' }>;

/** A running server, wherever it runs. */
export interface ServerProcess {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Resolves when the server has ended. Never rejects. */
  readonly ended: Promise<{ readonly exitCode: number | null }>;
  /** Ends the server and everything that it started. Resolves when they are gone. */
  readonly close: () => Promise<void>;
}

/** `env`: the variables of the definition. No other variable of this machine that looks like a key is passed on. */
export interface ServerStart {
  readonly name: string;
  readonly definition: ProgramDefinition;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  /** Called with a host that it asked for and may not reach. Any text: the program chose it. */
  readonly onRefused?: (host: string) => void;
}

export type StartServer = (start: ServerStart, signal: AbortSignal) => Promise<ServerProcess>;

export interface HostServersOptions {
  readonly programs: HostPrograms;
  readonly nodePath: string;
  /** The built `server-guard`. It ends the server and its group when this program ends, in whatever way. */
  readonly guardPath: string;
}

/**
 * Starts servers directly on this machine, which the user must choose explicitly: by absolute path, in the empty
 * folder, with a listed environment, in a process group of their own behind a guard.
 */
export function createHostServers({ programs, nodePath, guardPath }: HostServersOptions): StartServer {
  return async ({ definition, env, onOutput }) => {
    await programs.widenPath();
    const program = isAbsolute(definition.command) ? definition.command : await programs.find(definition.command);
    if (program === null) {
      throw new AppError('not-found', `The program ${definition.command} was not found outside of your projects.`, {
        hint: howToGetProgram(definition.command, process.platform),
      });
    }
    if (isAbsolute(program) && !(await programs.isOutside(program))) {
      throw new AppError('refused', `The program ${definition.command} lies where agents may change it.`, {
        hint: 'Use one outside of your projects and of the folder in which Dewpoint started. Or run the server in its container.',
      });
    }
    const problem =
      process.platform === 'win32' && isBatchFile(program) ? batchProblem(program, definition.args) : null;
    if (problem !== null) {
      throw new AppError('bad-input', `The program was not started: ${problem}.`, {
        hint: 'Start what is behind it instead, such as node.exe with the whole path of a script.',
      });
    }
    const child = programs.start(nodePath, [guardPath, '--stdin', program, ...definition.args], {
      needs: ['network'],
      name: definition.command,
      more: { ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    });
    const ended = new Promise<{ readonly exitCode: number | null }>((resolve) => {
      child.once('error', () => resolve({ exitCode: null }));
      child.once('exit', (exitCode) => resolve({ exitCode }));
    });
    // A server that has ended takes no more input. `ended` reports that.
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (bytes: Uint8Array) => onOutput('stdout', bytes));
    child.stderr?.on('data', (bytes: Uint8Array) => onOutput('stderr', bytes));
    return {
      ended,
      write: (bytes) =>
        new Promise((resolve, reject) => {
          child.stdin?.write(bytes, (error) => (error ? reject(error) : resolve()));
        }),
      close: async () => {
        if (child.connected) child.disconnect();
        await ended;
      },
    };
  };
}
