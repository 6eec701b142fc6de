import type { EngineProfile } from '@shared/models/memory-estimate.ts';
import type { CellCounts, ContextRequest } from './context-memory.ts';
import { graphBytes } from '../graph/graph-memory.ts';
import { readGraphShape } from '../graph/graph-shape.ts';
import type { GraphShape } from '../graph/graph-shape.ts';
import type { ContextShape } from './layer-shapes.ts';
import type { KeyReader } from '../gguf/gguf-keys.ts';

/** The sizes of a model that its compute buffer depends on. Elements, as in the header. */
export interface ComputeShape {
  readonly width: number;
  readonly vocabulary: number;
  readonly heads: number;
  /** The widths of Q, K and V in the widest layer. */
  readonly queryWidth: number;
  readonly keyWidth: number;
  readonly valueOutWidth: number;
  /** The widest dense feed-forward part. 0 if every layer has only experts. */
  readonly feedForward: number;
  /** The feed-forward part has gate, up and their product. If false, it has one width that is activated. */
  readonly isGated: boolean;
  readonly experts: { readonly used: number; readonly feedForward: number } | null;
  /** The width of the convolution in a linear attention layer, and of its inner state. */
  readonly linear: { readonly convolution: number; readonly inner: number; readonly kernel: number } | null;
  /** The inputs of all layers together (Gemma's per-layer embeddings). */
  readonly perLayerInputs: number;
  readonly softCap: boolean;
  readonly hasWindow: boolean;
  /** The family's whole graph if it is known. Null: only its phases are. */
  readonly graph: GraphShape | null;
}

/** Null if the header does not say enough. `vocabulary` comes from the tokenizer if the key is missing. */
export function readComputeShape(
  keys: KeyReader,
  { vocabulary, context }: { readonly vocabulary: number | null; readonly context: ContextShape },
): ComputeShape | null {
  const layers = keys.number('block_count');
  const width = keys.number('embedding_length');
  const vocabularySize = keys.number('vocab_size') ?? vocabulary;
  if (layers === null || width === null || vocabularySize === null) return null;
  const largest = (name: string): number => Math.max(0, ...(keys.perLayer(name, layers) ?? []));
  const heads = largest('attention.head_count');
  const cacheHeads = keys.has('attention.head_count_kv') ? largest('attention.head_count_kv') : heads;
  const perHead = heads === 0 ? 0 : width / heads;
  const key = keys.number('attention.key_length') ?? perHead;
  const value = keys.number('attention.value_length_mla') ?? keys.number('attention.value_length') ?? perHead;
  const used = largest('expert_used_count');
  const expertWidth = largest('expert_feed_forward_length');
  const inner = keys.number('ssm.inner_size') ?? 0;
  const groups = (keys.number('ssm.group_count') ?? 0) * (keys.number('ssm.state_size') ?? 0);
  const feedForward = largest('feed_forward_length');
  // Without an expert width, the plain width is that of an expert. A leading dense layer has the plain width.
  const leadingDense = (keys.number('leading_dense_block_count') ?? 0) > 0;
  return {
    width,
    vocabulary: vocabularySize,
    heads,
    queryWidth: heads * key,
    keyWidth: cacheHeads * key,
    valueOutWidth: heads * value,
    feedForward: used > 0 && !leadingDense ? 0 : feedForward,
    isGated: !ungated.has(keys.architecture),
    experts: used > 0 ? { used, feedForward: expertWidth > 0 ? expertWidth : feedForward } : null,
    linear:
      inner > 0
        ? { convolution: inner + 2 * groups, inner, kernel: Math.max(1, keys.number('ssm.conv_kernel') ?? 1) }
        : null,
    perLayerInputs: (keys.number('embedding_length_per_layer_input') ?? 0) * layers,
    softCap: keys.architecture.startsWith('gemma'),
    hasWindow: context.layers.some((layer) => layer.ownsCells && layer.isWindow),
    graph: readGraphShape(keys, context, vocabulary),
  };
}

/**
 * Bytes of the engine's compute buffer, from the family's graph if it is known (`graph-memory.ts`), else from its
 * phases. From keys alone it is never exact, because a file can have tensors that its keys do not mention.
 */
export function computeBytes(
  shape: ComputeShape,
  cells: CellCounts,
  request: ContextRequest,
  engine: EngineProfile,
): number {
  const ubatch = Math.min(request.ubatchTokens, request.contextTokens);
  const outputs = engine === 'llama-server' ? Math.max(request.outputs ?? 1, request.slots) : ubatch;
  return shape.graph === null
    ? phaseBytes(shape, { cells, request, outputs })
    : graphBytes(shape.graph, { cells, request, outputs });
}

/**
 * The phase of a graph that needs the most memory at once. It counts float32 elements for each token, times the
 * tokens of a ubatch. Attention masks are f16 with flash attention. Without it, they are f32, and there are scores
 * of every head. Read off llama.cpp v0.4.0 (`build_ffn`, `build_moe_ffn`, `build_attn_mha`). The holes of its
 * allocator are not included.
 */
function phaseBytes(
  shape: ComputeShape,
  {
    cells,
    request,
    outputs,
  }: { readonly cells: CellCounts; readonly request: ContextRequest; readonly outputs: number },
): number {
  const ubatch = Math.min(request.ubatchTokens, request.contextTokens);
  const masks = cells.full + (shape.hasWindow ? cells.window : 0);
  const layer = Math.max(feedForwardElements(shape), expertElements(shape), linearElements(shape));
  const perToken = request.flashAttention
    ? 4 * layer + 2 * masks
    : 4 * Math.max(layer, scoreElements(shape, cells.full)) + 4 * masks;
  // With inputs for every layer, the room of the masks cannot be used for the logits.
  const behind = shape.perLayerInputs > 0 ? 2 * masks : 0;
  const output = outputs * 4 * shape.vocabulary + ubatch * (8 * shape.width + behind);
  return Math.ceil(Math.max(perToken * ubatch, output));
}

/** The residual, its norm and attention's output, with gate, up and their product. */
function feedForwardElements(shape: ComputeShape): number {
  if (shape.feedForward === 0) return 0;
  const { perLayerInputs } = shape;
  const attention = shape.linear === null ? shape.valueOutWidth : 0;
  const inputs = perLayerInputs > 0 ? perLayerInputs + shape.valueOutWidth : 0;
  return 3 * shape.width + attention + (shape.isGated ? 3 : 1) * shape.feedForward + inputs;
}

/** Families whose feed-forward part has no gate. */
const ungated = new Set(
  'falcon gpt2 gptneox mpt bloom starcoder starcoder2 phi2 codeshell jais nemotron arcee apertus plm'.split(' '),
);

/**
 * The same for each expert in use. Their outputs fit in the room of gate and up, unless the model is wider than
 * both.
 */
function expertElements({ experts, linear, width, valueOutWidth }: ComputeShape): number {
  if (experts === null) return 0;
  const base = linear === null ? 3 * width + valueOutWidth : 4 * width;
  const outputs = width > 2 * experts.feedForward ? experts.used * width : 0;
  return base + 3 * experts.used * experts.feedForward + outputs;
}

/** A linear attention layer: the convolution's input and output, and the heads that are cut out of it. */
function linearElements({ linear, width }: ComputeShape): number {
  return linear === null ? 0 : 3 * linear.convolution + linear.inner + width;
}

/** Attention without the fused kernel: scores of every head for every cell. */
function scoreElements(shape: ComputeShape, cells: number): number {
  const gated = shape.softCap || shape.linear !== null ? shape.queryWidth : 0;
  const extra = gated + (shape.perLayerInputs > 0 ? shape.perLayerInputs + shape.queryWidth : 0);
  return 3 * shape.width + 2 * shape.queryWidth + 2 * shape.keyWidth + extra + shape.heads * cells;
}
