import type { Part } from '@shared/models/model-messages.ts';
import type { Tool } from '../../tools/define.ts';

/** The format in which a model calls tools. */
export type CallStyle = 'native' | 'schema' | 'text' | 'grammar';

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

/** Something that was meant as a call but may not run. Nothing was invented or filled in. */
export interface CallError {
  readonly kind: 'unknown-tool' | 'bad-json' | 'bad-arguments' | 'cut';
  /** The id from the provider. The reason then stands in this call's own result. */
  readonly id: string | null;
  /** The name of the tool, if it could be read. */
  readonly name: string | null;
  /** What the model wrote, for the user. */
  readonly raw: string;
  /** For the model: what is wrong, and what a correct call looks like. */
  readonly message: string;
}

export interface ParsedCalls {
  /** In the order in which the model wrote them. */
  readonly calls: readonly ParsedCall[];
  readonly errors: readonly CallError[];
}

/** Never throws. A call that the answer's end cuts off is an error of the kind `cut`, never a call. */
export type ParseCalls = (parts: readonly Part[], style: CallStyle, tools: readonly Tool[]) => ParsedCalls;
