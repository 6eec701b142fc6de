import type { Tool } from './define.ts';

/** A call that may run: its tool is known, and the tool's schema accepted its input. */
export interface ParsedCall {
  /** The id from the provider; null if the style has none. */
  readonly id: string | null;
  readonly tool: Tool;
  readonly input: unknown;
  /** The repairs that were needed to parse the arguments, in words; empty for a strict parse. */
  readonly repairs: readonly string[];
  /** What the model has to know of them, because its call ran with other values than it wrote. */
  readonly corrections: readonly string[];
  /**
   * The call asked for network access with the argument of another program (`network_enabled`), which Dewpoint's tools
   * do not have.
   */
  readonly wantsNetwork?: true;
}
