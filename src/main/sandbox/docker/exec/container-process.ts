import type { OutputChunk } from '../../sandbox.ts';

/** What is run in a container. Paths are arguments, never part of a program. */
export type ContainerProgram =
  | { readonly type: 'command'; readonly command: string; readonly shell: string; readonly folder: string }
  /** A shell program of ours. */
  | { readonly type: 'script'; readonly text: string; readonly values: readonly string[] }
  /** A file operation: by the runner itself, else by the shell program that does the same. */
  | {
      readonly type: 'files';
      readonly operation: readonly string[];
      readonly text: string;
      readonly values: readonly string[];
    };

export interface ProcessRequest {
  readonly program: ContainerProgram;
  readonly env?: Readonly<Record<string, string>>;
  /** All of the input; a process that only writes gets none. */
  readonly stdin?: Uint8Array;
  /** Keep the input open for `write` instead of ending it after `stdin`. */
  readonly keepInputOpen?: boolean;
  /** Must not throw. */
  readonly onChunk: (chunk: OutputChunk) => void;
}

/** How a process ended. `lost`: the container or the engine went, so nobody knows; a clean end of a stream says nothing. */
export type ProcessEnd =
  | {
      readonly type: 'exited';
      readonly exitCode: number;
      /** The code is perhaps not the command's own: the engine gives the same one when the container was killed. */
      readonly isDoubtful: boolean;
    }
  /** The folder to run in is not there. */
  | { readonly type: 'no-folder' }
  /** Nothing was started, for want of processes or memory. */
  | { readonly type: 'not-started'; readonly reason: string }
  | { readonly type: 'lost'; readonly reason: string };

export interface ContainerProcess {
  /** Resolves when the bytes are on their way, also when nobody reads them any more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Never rejects. Comes only when the output has ended as well, and all that a command started is dead. */
  readonly ended: Promise<ProcessEnd>;
  /** Asks everything it started to end, and kills what is left after the grace. Whether that worked `ended` tells. */
  stop(graceMs: number): Promise<void>;
  /** No longer waits for it: `ended` comes as `lost` where it has not come. */
  abandon(): void;
}

/** The way in which processes are started in one container. */
export interface ContainerProcesses {
  /**
   * Rejects with `ContainerGoneError` when the container is gone and nothing was started. Takes no signal: once begun,
   * only `stop` ends a process.
   */
  start(request: ProcessRequest): Promise<ContainerProcess>;
}

/** The engine answered that the container is not there or does not run. */
export class ContainerGoneError extends Error {}
