import type { GgufKeys } from './gguf-keys.ts';
import { tensorBytes, weightsOf } from './parse-gguf.ts';
import type { ModelFacts } from '../estimate/model-memory.ts';

/** A model's header as a model server reports it. Its types are not checked. */
export interface ServerHeader {
  readonly keys: Readonly<Record<string, unknown>>;
  readonly tensors: readonly { readonly name: string; readonly type: string; readonly shape: readonly number[] }[];
}

export interface ServerModel {
  readonly facts: ModelFacts;
  /** Keys whose values the server left out, because they are arrays. */
  readonly hollowKeys: readonly string[];
  /** The entries of `markerTokens` that the vocabulary contains. Empty if the vocabulary was left out. */
  readonly markers: readonly string[];
}

/** Tokens that identify a family of chat templates. */
const markerTokens = ['<|im_start|>', '<tool_call>', '<|start_header_id|>', '<start_of_turn>', '[INST]'] as const;

/** The type numbers of the file format, by the names that servers use. */
const typeNumbers: Readonly<Record<string, number>> = {
  F32: 0,
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q5_0: 6,
  Q5_1: 7,
  Q8_0: 8,
  Q8_1: 9,
  Q2_K: 10,
  Q3_K: 11,
  Q4_K: 12,
  Q5_K: 13,
  Q6_K: 14,
  Q8_K: 15,
  IQ2_XXS: 16,
  IQ2_XS: 17,
  IQ3_XXS: 18,
  IQ1_S: 19,
  IQ4_NL: 20,
  IQ3_S: 21,
  IQ2_S: 22,
  IQ4_XS: 23,
  F64: 28,
  IQ1_M: 29,
  BF16: 30,
  TQ1_0: 34,
  TQ2_0: 35,
  MXFP4: 39,
};

/** Converts a server's header for the planner. Vocabularies are counted and searched, but not kept. */
export function readServerModel({ keys, tensors }: ServerHeader): ServerModel {
  const tokens = keys['tokenizer.ggml.tokens'];
  const kept: Record<string, unknown> = {};
  const hollowKeys: string[] = [];
  for (const [name, value] of Object.entries(keys)) {
    const isHollow = value === null || (Array.isArray(value) && value.length === 0);
    if (isHollow && !/^(tokenizer|general)\./.test(name)) hollowKeys.push(name);
    if (!isHollow && !(Array.isArray(value) && name.startsWith('tokenizer.'))) kept[name] = value;
  }
  const known: GgufKeys = kept;
  const vocabulary = Array.isArray(tokens) && tokens.length > 0 ? new Set<unknown>(tokens) : null;
  const sized = tensors.map(({ name, type, shape }) => {
    const number = typeNumbers[type.toUpperCase()];
    const values = shape.reduce((product, size) => product * size, 1);
    return { name, bytes: number === undefined ? null : tensorBytes(number, values) };
  });
  return {
    facts: {
      keys: known,
      vocabulary: Array.isArray(tokens) && tokens.length > 0 ? tokens.length : null,
      weights: sized.length === 0 ? null : weightsOf(sized),
    },
    hollowKeys,
    markers: vocabulary === null ? [] : markerTokens.filter((token) => vocabulary.has(token)),
  };
}
