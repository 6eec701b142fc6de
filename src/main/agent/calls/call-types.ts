import type { Part } from '@shared/models/model-messages.ts';
import type { Tool } from '../../tools/define.ts';
import type { ParsedCall } from '../../tools/parsed-call.ts';

/** The format in which a model calls tools. */
export type CallStyle = 'native' | 'schema' | 'text' | 'grammar';

/** Something that was meant as a call but may not run. Nothing was invented or filled in. */
export interface CallError {
  readonly kind: 'unknown-tool' | 'bad-json' | 'bad-arguments' | 'outside-project' | 'cut';
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
