import type { ContextShape } from '../estimate/layer-shapes.ts';
import type { KeyReader } from '../gguf/gguf-keys.ts';

/** The sizes that one layer computes with. Widths are in elements for each token. */
export interface GraphLayer {
  readonly attention: 'plain' | 'fused' | 'gated' | 'linear' | 'latent' | 'expanded';
  readonly isWindow: boolean;
  /** False: it reads the cells of an earlier layer and computes no K and V. */
  readonly ownsCells: boolean;
  readonly heads: number;
  readonly queryWidth: number;
  readonly keyWidth: number;
  readonly valueWidth: number;
  /** The width of attention's output for all heads together. */
  readonly outWidth: number;
  /** Bytes of the matrices that turn values for a quantized cache. 0 if the head size does not allow it. */
  readonly turns: { readonly key: number; readonly value: number };
  readonly feed: 'gated' | 'halved' | 'experts' | 'experts-beside-dense';
}

/** The graph of a family whose order of steps is known. */
export interface GraphShape {
  readonly width: number;
  /**
   * The width of the norm before attention and before the feed-forward part. 0 if a family has norms only after
   * them.
   */
  readonly normWidth: number;
  readonly vocabulary: number;
  readonly layers: readonly GraphLayer[];
  /** Where the requested rows are taken out of the batch. */
  readonly rows: 'in-last-layer' | 'before-norm' | 'after-norm';
  readonly feedForward: number;
  readonly experts: {
    readonly count: number;
    readonly used: number;
    readonly feedForward: number;
    /** The width of the expert that every token uses. 0: there is none. */
    readonly sharedForward: number;
    /** Experts are chosen by scores with a bias and weighted without it. */
    readonly isBiased: boolean;
    /** The shared expert has a gate of its own. */
    readonly gatesShared: boolean;
    readonly normsWeights: boolean;
  } | null;
  readonly linear: {
    readonly convolution: number;
    readonly kernel: number;
    readonly inner: number;
    readonly keys: number;
    readonly heads: number;
    readonly stateElements: number;
  } | null;
  readonly latent: { readonly rank: number; readonly rope: number; readonly queryRank: number } | null;
  readonly perLayerInputs: { readonly width: number; readonly all: number } | null;
  /** Window layers write K before V, as all layers of such a family do. */
  readonly keysFirst: boolean;
  /** V has a norm of its own. */
  readonly normsValues: boolean;
  /** The widest V of all layers. It determines the size of the list of places without flash attention. */
  readonly widestValue: number;
}

interface Family {
  readonly attention?: GraphLayer['attention'];
  readonly feed?: GraphLayer['feed'];
  readonly rows?: GraphShape['rows'];
}

/** Families whose graph was read in llama.cpp v0.4.0 (`src/models`). Other families have no rule here. */
const families: Readonly<Record<string, Family>> = {
  llama: {},
  qwen2: {},
  qwen3: {},
  qwen3moe: {},
  gemma: {},
  gemma2: {},
  gemma3: {},
  olmo2: {},
  phi3: { attention: 'fused', feed: 'halved' },
  'gpt-oss': { rows: 'before-norm' },
  gemma4: { rows: 'after-norm' },
  qwen35: { attention: 'gated', rows: 'after-norm' },
  qwen35moe: { attention: 'gated', rows: 'after-norm' },
  qwen3next: { attention: 'gated', rows: 'after-norm' },
  deepseek2: { attention: 'latent' },
};

/** Null if the family's graph is not known, or one of its keys is missing. */
export function readGraphShape(keys: KeyReader, context: ContextShape, vocabulary: number | null): GraphShape | null {
  const family = families[keys.architecture];
  const width = keys.number('embedding_length');
  const words = keys.number('vocab_size') ?? vocabulary;
  const count = keys.number('block_count');
  if (family === undefined || width === null || words === null || count === null) return null;
  const heads = keys.perLayer('attention.head_count', count);
  if (heads === null || heads[0] === undefined || heads[0] === 0) return null;
  const experts = readExperts(keys, count);
  const linear = readLinear(keys, context);
  const latent = readLatent(keys);
  if (family.attention === 'latent' && latent === null) return null;
  if (family.attention === 'gated' && linear === null) return null;
  const perLayer = keys.number('embedding_length_per_layer_input') ?? 0;
  const layers = context.layers
    .slice(0, count - context.draftLayers)
    .map((_, index) => layerAt({ keys, context, family, heads, experts }, index));
  return {
    width,
    normWidth: keys.architecture === 'olmo2' ? 0 : width,
    vocabulary: words,
    layers,
    rows: family.rows ?? 'in-last-layer',
    feedForward: Math.max(0, ...(keys.perLayer('feed_forward_length', count) ?? [])),
    experts,
    linear,
    latent,
    perLayerInputs: perLayer > 0 ? { width: perLayer, all: perLayer * count } : null,
    keysFirst: layers.some((layer) => layer.isWindow),
    normsValues: keys.architecture === 'gemma4',
    widestValue: context.widestValue,
  };
}

interface Parts {
  readonly keys: KeyReader;
  readonly context: ContextShape;
  readonly family: Family;
  readonly heads: readonly number[];
  readonly experts: GraphShape['experts'];
}

function layerAt({ keys, context, family, heads, experts }: Parts, index: number): GraphLayer {
  const layer = context.layers[index];
  const count = heads[index] ?? 0;
  const isWindow = layer?.isWindow === true;
  const head = headWidths(keys, { width: keys.number('embedding_length') ?? 0, heads: count, isWindow });
  const isLinear = (layer?.recurrentElements ?? 0) > 0;
  const isDense = experts === null || index < (keys.number('leading_dense_block_count') ?? 0);
  const experted = keys.architecture === 'gemma4' ? 'experts-beside-dense' : 'experts';
  const plain = family.attention === 'latent' && !context.isLatent ? 'expanded' : (family.attention ?? 'plain');
  return {
    attention: isLinear ? 'linear' : plain,
    isWindow,
    ownsCells: layer?.ownsCells === true,
    heads: count,
    queryWidth: count * (keys.number('attention.key_length_mla') ?? head.key),
    keyWidth: layer?.keyWidth ?? 0,
    valueWidth: layer?.valueWidth ?? 0,
    outWidth: count * (keys.number('attention.value_length_mla') ?? head.value),
    turns: { key: turnBytes(head.key, 'largest'), value: turnBytes(head.value, 'smallest') },
    feed: isDense ? (family.feed ?? 'gated') : experted,
  };
}

function headWidths(
  keys: KeyReader,
  { width, heads, isWindow }: { readonly width: number; readonly heads: number; readonly isWindow: boolean },
): { readonly key: number; readonly value: number } {
  const perHead = heads === 0 ? 0 : Math.floor(width / heads);
  const read = (name: string): number =>
    (isWindow ? keys.number(`attention.${name}_swa`) : null) ?? keys.number(`attention.${name}`) ?? perHead;
  return { key: read('key_length'), value: read('value_length') };
}

/**
 * The size of a Hadamard matrix of 64, or of the largest power of two that divides the head size
 * (`build_input_k_rot`).
 */
function turnBytes(head: number, size: 'largest' | 'smallest'): number {
  if (head === 0 || head % 64 !== 0) return 0;
  let side = 64;
  while (size === 'largest' && head % (side * 2) === 0) side *= 2;
  return side * side * 4;
}

function readExperts(keys: KeyReader, layers: number): GraphShape['experts'] {
  const largest = (name: string): number => Math.max(0, ...(keys.perLayer(name, layers) ?? []));
  const used = largest('expert_used_count');
  if (used === 0) return null;
  const given = largest('expert_feed_forward_length');
  const feedForward = given > 0 ? given : largest('feed_forward_length');
  const shared = keys.number('expert_shared_feed_forward_length');
  const sharedCount = keys.number('expert_shared_count') ?? 0;
  return {
    count: keys.number('expert_count') ?? 0,
    used,
    feedForward,
    sharedForward: shared ?? sharedCount * feedForward,
    isBiased: keys.number('expert_gating_func') === 2,
    gatesShared: keys.architecture.startsWith('qwen'),
    normsWeights: keys.architecture === 'deepseek2' ? keys.flag('expert_weights_norm') : true,
  };
}

function readLinear(keys: KeyReader, context: ContextShape): GraphShape['linear'] {
  const inner = keys.number('ssm.inner_size');
  const group = keys.number('ssm.group_count');
  const state = keys.number('ssm.state_size');
  const heads = keys.number('ssm.time_step_rank');
  const kernel = keys.number('ssm.conv_kernel');
  const elements = context.layers.find((layer) => layer.recurrentElements > 0)?.recurrentElements;
  if (inner === null || group === null || state === null || heads === null || kernel === null) return null;
  const convolution = inner + 2 * group * state;
  return {
    convolution,
    kernel,
    inner,
    keys: group * state,
    heads,
    stateElements: (elements ?? 0) - (kernel - 1) * convolution,
  };
}

function readLatent(keys: KeyReader): GraphShape['latent'] {
  const rank = keys.number('attention.kv_lora_rank');
  const rope = keys.number('rope.dimension_count');
  if (rank === null || rope === null) return null;
  return { rank, rope, queryRank: keys.number('attention.q_lora_rank') ?? 0 };
}
