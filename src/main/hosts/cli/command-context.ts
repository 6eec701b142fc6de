import type { CoreClient } from '../../server/local-socket.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What every subcommand is given. */
export interface CommandContext {
  readonly terminal: Terminal;
  /**
   * The core: this process owns the home, or speaks to the one that does. Opened once, at the first use, so that
   * `--help` and wrong usage start nothing. Closed by `main`.
   */
  readonly core: () => Promise<CoreClient>;
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly version: string;
}

/** A subcommand's work; the number is the exit code. */
export type Command<Arguments extends readonly unknown[]> = (
  context: CommandContext,
  ...args: Arguments
) => Promise<number>;
