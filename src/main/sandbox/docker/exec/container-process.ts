import type { OutputChunk } from '../../sandbox.ts';

/** A program that runs in a container. Paths are arguments, never part of a program. */
export type ContainerProgram =
  | { readonly type: 'command'; readonly command: string; readonly shell: string; readonly folder: string }
  /** A shell program of ours. */
  | { readonly type: 'script'; readonly text: string; readonly values: readonly string[] }
  /** A file operation, done by the runner itself, or else by the equivalent shell program. */
  | {
      readonly type: 'files';
      readonly operation: readonly string[];
      readonly text: string;
      readonly values: readonly string[];
    };

export interface ProcessRequest {
  readonly program: ContainerProgram;
  readonly env?: Readonly<Record<string, string>>;
  /** All of the input. Absent: the process gets none. */
  readonly stdin?: Uint8Array;
  /** Keeps the input open for `write` after `stdin`. */
  readonly keepInputOpen?: boolean;
  /** Must not throw. */
  readonly onChunk: (chunk: OutputChunk) => void;
}

/**
 * How a process ended. `lost`: the container or the engine is gone, so the end is unknown. A cleanly ended stream
 * does not tell.
 */
export type ProcessEnd =
  | {
      readonly type: 'exited';
      readonly exitCode: number;
      /**
       * The code may not be the command's own, because the engine returns the same one if the container was killed.
       */
      readonly isDoubtful: boolean;
    }
  /** The folder to run in does not exist. */
  | { readonly type: 'no-folder' }
  /** Nothing was started, for lack of processes or memory. */
  | { readonly type: 'not-started'; readonly reason: string }
  | { readonly type: 'lost'; readonly reason: string };

export interface ContainerProcess {
  /** Resolves when the bytes have been sent, even if nothing reads them any more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the output has ended, too, and everything that a command started is dead. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Asks everything that it started to end, and kills the rest after the grace time. `ended` tells whether that
   * worked.
   */
  stop(graceMs: number): Promise<void>;
  /** Stops waiting: `ended` resolves as `lost` unless it already has. */
  abandon(): void;
}

/** How processes are started in one container. */
export interface ContainerProcesses {
  /**
   * Rejects with `ContainerGoneError` if the container is gone and nothing was started. It takes no signal: only
   * `stop` ends a process that has begun.
   */
  start(request: ProcessRequest): Promise<ContainerProcess>;
}

/** The engine answered that the container does not exist or does not run. */
export class ContainerGoneError extends Error {}
