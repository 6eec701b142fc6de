import type { CacheType, MemoryTerm } from '@shared/models/memory-estimate.ts';
import type { ContextShape, LayerShape } from './layer-shapes.ts';

/** The options of a context. All sizes in tokens. */
export interface ContextRequest {
  /** For all sequences together, as in the engine's own option. */
  readonly contextTokens: number;
  readonly cacheType: CacheType;
  readonly flashAttention: boolean;
  readonly ubatchTokens: number;
  readonly slots: number;
  /** One cache for all slots instead of one for each. */
  readonly unified: boolean;
  /** Tokens that are drafted ahead. Each needs a copy of the recurrent state. */
  readonly draftTokens: number;
  /** Tokens for which logits are computed, as for a checked draft. Absent: the engine's number without drafts. */
  readonly outputs?: number;
}

/** The number of cells in one stream, and of streams. */
export interface CellCounts {
  readonly streams: number;
  readonly full: number;
  readonly window: number;
}

/**
 * Bytes of `count` elements: blocks of 32 values take 34 (q8_0) or 18 (q4_0) bytes, and f16 values two bytes each.
 * ggml `type_traits`.
 */
export function cacheBytes(count: number, type: CacheType): number {
  switch (type) {
    case 'f16':
      return count * 2;
    case 'q8_0':
      return (count / 32) * 34;
    case 'q4_0':
      return (count / 32) * 18;
    default:
      return type satisfies never;
  }
}

export const padCells = (cells: number): number => Math.ceil(cells / 256) * 256;

/**
 * Follows `llama_context` and `llama_kv_cache_iswa` of llama.cpp v0.5.0. Contexts are padded to 256 cells, first as
 * a whole, then for each slot. A window layer keeps window + ubatch cells (window x slots + ubatch if the slots
 * share one cache).
 */
export function countCells(shape: ContextShape, request: ContextRequest): CellCounts {
  const slots = Math.max(1, request.slots);
  const total = padCells(request.contextTokens);
  const full = request.unified ? total : padCells(Math.floor(total / slots));
  const ubatch = Math.min(request.ubatchTokens, request.contextTokens);
  const window = shape.windowTokens * (request.unified ? slots : 1) + ubatch;
  return { streams: request.unified ? 1 : slots, full, window: padCells(Math.min(full, window)) };
}

/** Cells and recurrent states of a context, exact to the byte. Empty terms are left out. */
export function contextTerms(shape: ContextShape, request: ContextRequest): readonly MemoryTerm[] {
  const cells = countCells(shape, request);
  const owners = shape.layers.filter((layer) => layer.ownsCells);
  const full = owners.filter((layer) => !layer.isWindow);
  const windowed = owners.filter((layer) => layer.isWindow);
  const states = shape.layers.reduce((sum, layer) => sum + layer.recurrentElements, 0);
  const rows = Math.max(1, request.slots) * (1 + request.draftTokens);
  const stateLayers = shape.layers.filter((layer) => layer.recurrentElements > 0).length;
  const padded =
    !request.flashAttention && !shape.isLatent && owners.some((layer) => layer.valueWidth !== shape.widestValue);
  const kind = `${request.cacheType}${padded ? ', V padded to the widest layer because flash attention is off' : ''}`;
  const streams = cells.streams === 1 ? '' : ` x ${cells.streams} slots`;
  const terms: readonly MemoryTerm[] = [
    {
      name: 'kv-full',
      bytes: bytesOf(full, cells.full * cells.streams, shape, request),
      why: `${full.length} layers x ${cells.full} cells${streams}, ${shape.isLatent ? 'latent keys only, ' : ''}${kind}`,
    },
    {
      name: 'kv-window',
      bytes: bytesOf(windowed, cells.window * cells.streams, shape, request),
      why: `${windowed.length} layers x ${cells.window} cells${streams} (window ${shape.windowTokens} + batch ${Math.min(request.ubatchTokens, request.contextTokens)}, padded), ${kind}`,
    },
    {
      name: 'recurrent',
      bytes: states * 4 * rows,
      why: `${stateLayers} layers with a state of fixed size, f32, x ${rows} ${rows === 1 ? 'sequence' : 'sequences and drafts'}`,
    },
  ];
  return terms.filter((term) => term.bytes > 0);
}

function bytesOf(
  layers: readonly LayerShape[],
  cells: number,
  shape: ContextShape,
  { cacheType, flashAttention }: ContextRequest,
): number {
  return layers.reduce((sum, layer) => {
    const value = shape.isLatent ? 0 : flashAttention ? layer.valueWidth : shape.widestValue;
    return sum + cells * (cacheBytes(layer.keyWidth, cacheType) + cacheBytes(value, cacheType));
  }, 0);
}

/** Bytes of cells and states of each layer, on the layer's device. In the order of the layers. */
export function contextBytesOfLayers(shape: ContextShape, request: ContextRequest): readonly number[] {
  const cells = countCells(shape, request);
  const rows = Math.max(1, request.slots) * (1 + request.draftTokens);
  return shape.layers.map((layer) => {
    const count = (layer.isWindow ? cells.window : cells.full) * cells.streams;
    const kept = layer.ownsCells ? bytesOf([layer], count, shape, request) : 0;
    return kept + layer.recurrentElements * 4 * rows;
  });
}

/** Why the engine refuses this cache (`llama_init_from_model`). Null: it can be made. */
export function refusedCache(
  shape: ContextShape,
  headWidths: readonly number[],
  { cacheType, flashAttention }: Pick<ContextRequest, 'cacheType' | 'flashAttention'>,
): string | null {
  if (cacheType === 'f16' || shape.layers.length === 0) return null;
  if (!flashAttention) return `A ${cacheType} cache needs flash attention.`;
  const odd = headWidths.find((width) => width % 32 !== 0);
  return odd === undefined
    ? null
    : `A ${cacheType} cache needs heads of a multiple of 32 elements; this model has ${odd}.`;
}
