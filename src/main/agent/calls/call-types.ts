import type { Part } from '@shared/models/model-messages.ts';
import type { Tool } from '../../tools/define.ts';

/** How a model says that it wants a tool to run. */
export type CallStyle = 'native' | 'schema' | 'text' | 'grammar';

/** A call that may run: its tool is known and its input has been parsed by the tool's schema. */
export interface ParsedCall {
  /** The id the provider gave, or null where the style has none. */
  readonly id: string | null;
  readonly tool: Tool;
  readonly input: unknown;
  /** What was repaired before the arguments parsed, in words; empty for a strict parse. */
  readonly repairs: readonly string[];
  /** It asked for a network in words of other programs (`network_enabled`), which is no argument of ours. */
  readonly wantsNetwork?: true;
}

/** Something that was meant as a call and may not run. Nothing of it was invented or filled in. */
export interface CallError {
  readonly kind: 'unknown-tool' | 'bad-json' | 'bad-arguments' | 'cut';
  /** The tool it names, where that could be read. */
  readonly name: string | null;
  /** What the model wrote, for people. */
  readonly raw: string;
  /** For the model: what is wrong and what a right call looks like. */
  readonly message: string;
}

export interface ParsedCalls {
  /** In the order in which they were written. */
  readonly calls: readonly ParsedCall[];
  readonly errors: readonly CallError[];
}

/** Never throws. A call that the answer's end cuts off is an error of the kind `cut`, never a call. */
export type ParseCalls = (parts: readonly Part[], style: CallStyle, tools: readonly Tool[]) => ParsedCalls;
