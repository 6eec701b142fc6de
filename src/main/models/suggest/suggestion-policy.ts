import type { SuggestedRole } from '@shared/models/model-suggestion.ts';

/** A model to suggest: which of its files, best first, and where it must fit. */
export interface Wish {
  readonly id: string;
  readonly quantizations: readonly string[];
  /**
   * `whole`: in one memory. `split`: mostly in main memory, for models that read few of their weights for each
   * token.
   */
  readonly place: 'whole' | 'split';
  readonly why: string;
  /** On a smaller card, the model would fit but be too slow. */
  readonly leastCardBytes?: number;
}

export type MachineKind = 'card' | 'amd' | 'unified' | 'processor';

const qwen27b = 'The strongest open model of its size for agent work. It thinks long: keep the effort low or medium.';
const qwen35b =
  'It reads 3 of its 35 billion parameters for a token, so it is quick even where most of it lies in main memory.';
const qwen9b = 'The smallest model that is worth calling a coding agent.';
const gptOss = 'It fits where larger models do not. It always thinks, at low, medium or high effort.';
const qwen4b = 'The smallest model that calls tools reliably. Leave hard coding steps to a stronger model.';

const dense27b = (quantizations: readonly string[]): Wish => ({
  id: 'qwen3.8-27b',
  quantizations,
  place: 'whole',
  why: qwen27b,
});
const moe35b = (place: Wish['place'], quantizations: readonly string[]): Wish => ({
  id: 'qwen3.6-35b-a3b',
  quantizations,
  place,
  why: qwen35b,
});
const gpt20b: Wish = { id: 'gpt-oss-20b', quantizations: ['MXFP4'], place: 'whole', why: gptOss };
const nine: Wish = { id: 'qwen3.5-9b', quantizations: ['Q8_0', 'Q6_K', 'Q4_K_M'], place: 'whole', why: qwen9b };
const four: Wish = { id: 'qwen3.5-4b', quantizations: ['Q4_K_M'], place: 'whole', why: qwen4b };
const every35b = ['UD-Q6_K', 'UD-Q5_K_M', 'UD-Q4_K_M', 'UD-Q3_K_XL'];

const large: Wish = {
  id: 'gemma-4-31b',
  quantizations: ['Q8_0', 'Q6_K', 'Q4_K_M', 'QAT Q4_0'],
  place: 'whole',
  why: 'The strongest model here for chat and pictures.',
};
const small = (why: string): readonly Wish[] => [
  { id: 'gemma-4-12b', quantizations: ['QAT Q4_0'], place: 'whole', why },
  { id: 'gemma-4-e4b', quantizations: ['QAT Q4_0'], place: 'whole', why },
];
const sees = 'The largest model for chat and pictures that fits.';
const moe26b: Wish = {
  id: 'gemma-4-26b-a4b',
  quantizations: ['QAT Q4_0'],
  place: 'whole',
  why: 'It reads 4 of its 25 billion parameters for a token, so it is quick in slow memory.',
};
const tiny: Wish = {
  id: 'gemma-4-e2b',
  quantizations: ['QAT UD-Q4_K_XL'],
  place: 'whole',
  why: 'For chat and pictures where memory is short. Not for coding.',
};

const quick: readonly Wish[] = [
  { ...nine, quantizations: ['Q8_0', 'Q4_K_M'], why: 'Small enough to answer at once.' },
  { ...four, why: 'Small enough to answer at once.' },
];

/**
 * What to suggest on which machine, best first. The first that fits is taken. It comes from the comparison of
 * sources of November 2026. The test of `suggest-models.ts` contains its table.
 */
export const wishes: Readonly<Record<MachineKind, Readonly<Record<SuggestedRole, readonly Wish[]>>>> = {
  card: {
    coding: [dense27b(['Q8_0', 'UD-Q5_K_XL', 'UD-Q4_K_XL']), moe35b('split', ['UD-Q4_K_M']), gpt20b, nine, four],
    chat: [large, ...small(sees)],
    quick,
  },
  // llama.cpp on Vulkan and ROCm is slow with quantizations that contain IQ parts.
  amd: {
    coding: [dense27b(['Q8_0', 'Q4_K_M']), moe35b('split', ['UD-Q4_K_M']), gpt20b, nine, four],
    chat: [large, ...small(sees)],
    quick,
  },
  // Memory bandwidth is the limit, so models with few active parameters come first.
  unified: {
    coding: [
      {
        id: 'qwen3-coder-next',
        quantizations: ['UD-Q4_K_XL'],
        place: 'whole',
        why: 'It does not think and reads 3 of its 80 billion parameters for a token, so it answers at once.',
      },
      moe35b('whole', every35b),
      gpt20b,
      nine,
      four,
    ],
    chat: [{ ...large, leastCardBytes: 40e9 }, moe26b, ...small(sees), tiny],
    quick,
  },
  processor: {
    coding: [moe35b('whole', every35b), four],
    chat: [moe26b, tiny],
    quick: [
      { ...four, why: 'Small enough for a processor.' },
      {
        id: 'qwen3.5-2b',
        quantizations: ['Q4_K_M'],
        place: 'whole',
        why: 'For chat, titles and routing. Not for the agent.',
      },
    ],
  },
};
