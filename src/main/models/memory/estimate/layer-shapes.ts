import type { KeyReader } from '../gguf/gguf-keys.ts';

/** What one layer keeps for each token and each sequence. Widths in elements, or 0 if it keeps none. */
export interface LayerShape {
  readonly index: number;
  /**
   * The K and V elements of one cell. If `ownsCells` is false, the layer uses the cells of another one, or is not
   * attention.
   */
  readonly keyWidth: number;
  readonly valueWidth: number;
  readonly ownsCells: boolean;
  readonly isWindow: boolean;
  /** Float32 elements of a sequence's recurrent state, including the convolution. */
  readonly recurrentElements: number;
}

export interface ContextShape {
  readonly layers: readonly LayerShape[];
  /** The width to which V of every layer is padded without flash attention. */
  readonly widestValue: number;
  /** Latent attention: only keys are kept, and V is computed from them. */
  readonly isLatent: boolean;
  /** How many tokens a window layer looks back. 0: no window. */
  readonly windowTokens: number;
  /** Layers at the end that only predict further tokens. The main context may keep cells for them, too. */
  readonly draftLayers: number;
}

export type ShapeResult =
  | { readonly known: true; readonly shape: ContextShape }
  | { readonly known: false; readonly why: string };

/**
 * Which layers keep what, by the rules that llama.cpp applies when it loads a file (v0.4.0:
 * `llama_model::load_hparams`, `load_arch_hparams` of each architecture, `create_memory`; v0.5.0 allocates the same
 * for the golden data). An architecture without a rule here is unknown, and no other rule is tried on it.
 */
export function readContextShape(keys: KeyReader): ShapeResult {
  const { architecture } = keys;
  if (withoutMemory.has(architecture)) return known(empty);
  if (!plain.has(architecture) && !(architecture in windowRules) && !(architecture in recurrentRules)) {
    return { known: false, why: notCovered[architecture] ?? `The architecture "${architecture}" is not covered.` };
  }
  const count = keys.number('block_count');
  const width = keys.number('embedding_length');
  if (count === null || width === null || count < 1 || count > 512 || !Number.isInteger(count) || width < 1) {
    return { known: false, why: 'block_count or embedding_length is missing or impossible.' };
  }
  const draftLayers = Math.min(count, Math.max(0, keys.number('nextn_predict_layers') ?? 0));
  const heads = keys.perLayer('attention.head_count', count) ?? Array.from({ length: count }, () => 0);
  const cacheHeads = keys.has('attention.head_count_kv') ? keys.perLayer('attention.head_count_kv', count) : heads;
  if (cacheHeads === null)
    return { known: false, why: 'attention.head_count_kv has neither one number nor one for each layer.' };
  if (heads[0] === 0 && !attentionFree.has(architecture))
    return { known: false, why: 'attention.head_count is missing.' };
  const base: Base = { keys, count, width, draftLayers, heads, cacheHeads };
  const windows = windowsOf(base);
  if (windows === null)
    return {
      known: false,
      why: 'attention.sliding_window_pattern is missing, or is null as in a short answer of a server.',
    };
  return known(assemble(base, windows, recurrentOf(base)));
}

interface Base {
  readonly keys: KeyReader;
  readonly count: number;
  readonly width: number;
  readonly draftLayers: number;
  readonly heads: readonly number[];
  readonly cacheHeads: readonly number[];
}

interface Windows {
  readonly tokens: number;
  readonly isWindow: readonly boolean[];
}

const known = (shape: ContextShape): ShapeResult => ({ known: true, shape });
const empty: ContextShape = { layers: [], widestValue: 0, isLatent: false, windowTokens: 0, draftLayers: 0 };

function assemble(base: Base, windows: Windows, recurrent: Recurrent): ContextShape {
  const { keys, count, width, draftLayers, heads, cacheHeads } = base;
  const perHead = heads[0] === undefined || heads[0] === 0 ? 0 : Math.floor(width / heads[0]);
  const keyFull = keys.number('attention.key_length') ?? perHead;
  const valueFull = keys.number('attention.value_length') ?? perHead;
  const keyWindow = keys.number('attention.key_length_swa') ?? keyFull;
  const valueWindow = keys.number('attention.value_length_swa') ?? valueFull;
  const isLatent =
    (keys.number('attention.key_length_mla') ?? 0) > 0 && (keys.number('attention.value_length_mla') ?? 0) > 0;
  const owners = ownersOf(base);
  const layers = Array.from({ length: count }, (_, index): LayerShape => {
    const isWindow = windows.isWindow[index] === true;
    const cells = cacheHeads[index] ?? 0;
    return {
      index,
      keyWidth: cells * (isWindow ? keyWindow : keyFull),
      valueWidth: cells * (isWindow ? valueWindow : valueFull),
      ownsCells: owners(index) && recurrent.attends(index),
      isWindow,
      recurrentElements: recurrent.elements(index),
    };
  });
  return {
    layers,
    widestValue: Math.max(0, ...layers.map((layer) => layer.valueWidth)),
    isLatent,
    windowTokens: windows.tokens,
    draftLayers,
  };
}

/**
 * Layers that share the cells of an earlier one own none. Some families keep none for the layers that predict ahead.
 */
function ownersOf({ keys, count, draftLayers }: Base): (index: number) => boolean {
  const { architecture } = keys;
  if (architecture === 'gemma3n') return (index) => index < 20;
  if (architecture === 'gemma4') {
    const shared = keys.number('attention.shared_kv_layers') ?? 0;
    return (index) => index < count - shared;
  }
  if (['step35', 'hy_v3', 'mimo2'].includes(architecture)) return (index) => index < count - draftLayers;
  return () => true;
}

/**
 * With `period` n, there are n-1 window layers, then a full one. `denseFirst` reverses that. `array` means one flag
 * for each layer.
 */
type WindowRule = {
  readonly period?: number;
  readonly denseFirst?: boolean;
  readonly array?: 'required' | 'allowed';
  /** Used if the key is missing. */
  readonly defaultTokens?: number;
  /** Used whatever the key says. */
  readonly fixedTokens?: number;
  /** No window if the key is missing or 0. */
  readonly optional?: boolean;
};

const windowRules: Readonly<Record<string, WindowRule>> = {
  afmoe: { period: 4, optional: true },
  cohere2: { period: 4 },
  cohere2moe: { period: 4, denseFirst: true, array: 'allowed' },
  'exaone-moe': { period: 4, defaultTokens: 128 },
  exaone4: { period: 4, defaultTokens: 4096 },
  gemma2: { period: 2, defaultTokens: 4096 },
  gemma3: { period: 6, optional: true },
  gemma3n: { period: 5 },
  gemma4: { array: 'required' },
  'gpt-oss': { period: 2 },
  granite_swa: { array: 'required' },
  laguna: { period: 4, denseFirst: true, optional: true },
  llama4: { period: 4, fixedTokens: 8192 },
  mellum: { period: 4, array: 'allowed', optional: true },
  mimo2: { array: 'required' },
  'muse-glimmer': { period: 4, array: 'allowed' },
  olmo2: { period: 4, optional: true },
  plamo3: { period: 8, optional: true },
  smallthinker: { period: 4, denseFirst: true, fixedTokens: 4096, optional: true },
  step35: { array: 'required' },
};

/** Null if the file should say which layers have a window, but does not. */
function windowsOf(base: Base): Windows | null {
  const { keys, count, draftLayers } = base;
  const main = count - draftLayers;
  const none: Windows = { tokens: 0, isWindow: [] };
  const said = keys.number('attention.sliding_window');
  if (['lfm2', 'lfm2moe'].includes(keys.architecture)) {
    if (keys.architecture !== 'lfm2' || said === null || said <= 0) return none;
    return { tokens: said, isWindow: base.cacheHeads.map((heads) => heads !== 0) };
  }
  const rule = windowRules[keys.architecture];
  // Phi-3 and similar models have the key, but the engine treats them as full attention.
  if (rule === undefined) return none;
  if (keys.architecture === 'llama4' && said === 0) return none;
  if (keys.architecture === 'exaone4' && main !== 64) return none;
  if (rule.optional === true && (said === null || said <= 0)) return none;
  const tokens = rule.fixedTokens ?? said ?? rule.defaultTokens ?? 0;
  if (tokens <= 0) return null;
  const array = rule.array === undefined ? null : keys.flags('attention.sliding_window_pattern', main);
  if (array !== null) return { tokens, isWindow: array };
  const period = keys.number('attention.sliding_window_pattern') ?? rule.period;
  if (rule.array === 'required') {
    const all = keys.number('attention.sliding_window_pattern');
    return all === null ? null : { tokens, isWindow: Array.from({ length: main }, () => all !== 0) };
  }
  if (period === undefined) return null;
  const isWindow = Array.from({ length: main }, (_, index) => {
    if (period === 0) return true;
    return rule.denseFirst === true ? index % period !== 0 : index % period < period - 1;
  });
  return { tokens, isWindow };
}

interface Recurrent {
  attends(index: number): boolean;
  elements(index: number): number;
}

type RecurrentRule = 'every' | 'no-cache-heads' | 'no-heads-no-feed-forward' | 'interval-4' | 'interval-8' | 'only';

const recurrentRules: Readonly<Record<string, RecurrentRule>> = {
  'falcon-h1': 'every',
  jamba: 'no-cache-heads',
  plamo2: 'no-cache-heads',
  granitehybrid: 'no-cache-heads',
  lfm2: 'no-cache-heads',
  lfm2moe: 'no-cache-heads',
  'kimi-linear': 'no-cache-heads',
  nemotron_h: 'no-heads-no-feed-forward',
  nemotron_h_moe: 'no-heads-no-feed-forward',
  qwen3next: 'interval-4',
  qwen35: 'interval-4',
  qwen35moe: 'interval-4',
  'minimax-01': 'interval-8',
  mamba: 'only',
  mamba2: 'only',
  rwkv6: 'only',
  rwkv6qwen2: 'only',
  rwkv7: 'only',
  arwkv7: 'only',
};

function recurrentOf(base: Base): Recurrent {
  const rule = recurrentRules[base.keys.architecture];
  if (rule === undefined) return { attends: () => true, elements: () => 0 };
  const { keys, count, draftLayers, cacheHeads } = base;
  const main = count - draftLayers;
  const elements = stateElements(base);
  const feedForward = keys.perLayer('feed_forward_length', count);
  const interval = keys.number('full_attention_interval') ?? (rule === 'interval-8' ? 8 : 4);
  const listed = keys.flags('attention.recurrent_layers', count);
  const isRecurrent = (index: number): boolean => {
    if (index >= main) return false;
    switch (rule) {
      case 'every':
      case 'only':
        return true;
      case 'no-cache-heads':
        return cacheHeads[index] === 0;
      case 'no-heads-no-feed-forward':
        return cacheHeads[index] === 0 && (feedForward?.[index] ?? 0) === 0;
      case 'interval-4':
      case 'interval-8':
        return listed === null ? (index + 1) % interval !== 0 : listed[index] === true;
      default:
        return rule satisfies never;
    }
  };
  return {
    elements: (index) => (isRecurrent(index) ? elements : 0),
    attends(index) {
      if (rule === 'every') return true;
      if (rule === 'only') return false;
      if (rule === 'no-heads-no-feed-forward') return !isRecurrent(index) && (feedForward?.[index] ?? 0) === 0;
      if (rule === 'no-cache-heads') return !isRecurrent(index);
      return index < main && !isRecurrent(index);
    },
  };
}

/** `llama_hparams::n_embd_r` plus `n_embd_s`: elements of one layer for one sequence. */
function stateElements({ keys, width, heads }: Base): number {
  const number = (name: string): number => keys.number(name) ?? 0;
  const head = number('wkv.head_size');
  if (head > 0) return (keys.number('token_shift_count') ?? 2) * width + width * head;
  const shortConvolution = number('shortconv.l_cache');
  const state = number('ssm.state_size') * number('ssm.inner_size');
  if (shortConvolution > 0) return width * (shortConvolution - 1) + state;
  const kernel = number('ssm.conv_kernel');
  const headCount = heads[0] ?? 0;
  const delta = number('kda.head_dim');
  if (delta > 0) return 3 * (kernel > 0 ? kernel - 1 : 3) * headCount * delta + delta * delta * headCount;
  if (keys.architecture === 'minimax-01') {
    const length = keys.number('attention.key_length') ?? width / headCount;
    return length * length * headCount;
  }
  const convolution =
    Math.max(0, kernel - 1) * (number('ssm.inner_size') + 2 * number('ssm.group_count') * number('ssm.state_size'));
  return convolution + state;
}

const attentionFree = new Set(['mamba', 'mamba2', 'rwkv6', 'rwkv6qwen2', 'rwkv7', 'arwkv7']);

/** Encoders and diffusion models compute a whole text at once and keep nothing. */
const withoutMemory = new Set(
  'bert modern-bert nomic-bert nomic-bert-moe neo-bert jina-bert-v2 jina-bert-v3 eurobert gemma-embedding dream llada llada-moe rnd1'.split(
    ' ',
  ),
);

/** Families with full attention in every layer. Their differences are in the keys. */
const plain = new Set(
  `llama deci falcon grok gpt2 gptj gptneox mpt baichuan starcoder refact bloom stablelm qwen qwen2 qwen2moe qwen2vl
  qwen3 qwen3moe qwen3vl qwen3vlmoe phi2 phi3 phimoe plamo codeshell orion internlm2 minicpm minicpm3 gemma starcoder2
  xverse command-r dbrx olmo olmoe openelm arctic deepseek deepseek2 deepseek2-ocr chatglm glm4 glm4moe bitnet jais
  jais2 nemotron exaone granite granitemoe chameleon plm bailingmoe bailingmoe2 dots1 arcee ernie4_5 ernie4_5-moe
  hunyuan-moe hunyuan-dense hunyuan_vl hy_v3 smollm3 seed_oss grovemoe apertus minimax-m2 cogvlm pangu-embedded mistral3
  mistral4 paddleocr llama-embed maincoder talkie`.split(/\s+/),
);

const notCovered: Readonly<Record<string, string>> = {
  deepseek32: 'Sparse attention keeps an index beside its cells: only a dry run of the engine knows its size.',
  'glm-dsa': 'Sparse attention keeps an index beside its cells: only a dry run of the engine knows its size.',
  dots3note: 'Sparse attention keeps an index beside its cells: only a dry run of the engine knows its size.',
  deepseek4: 'DeepSeek V4 keeps compressed cells of several kinds: only a dry run of the engine knows their size.',
  'minimax-m3': 'Sparse attention keeps an index beside its cells: only a dry run of the engine knows its size.',
  qwen4exp: 'Sparse attention keeps an index beside its cells: only a dry run of the engine knows its size.',
};
