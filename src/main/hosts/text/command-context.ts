import type { CoreClient } from '../../server/local-socket.ts';
import type { Terminal } from './terminal.ts';

/** What every subcommand receives. */
export interface CommandContext {
  readonly terminal: Terminal;
  /**
   * The core: in this process if it owns the home, otherwise that of the owner. Opened at the first use, so that
   * `--help` and wrong usage start nothing. Closed by `main`.
   */
  readonly core: () => Promise<CoreClient>;
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly version: string;
}

/** The work of a subcommand. Resolves with the exit code. */
export type Command<Arguments extends readonly unknown[]> = (
  context: CommandContext,
  ...args: Arguments
) => Promise<number>;
