import { largestThatHolds } from './binary-search.ts';
import type { ModelWeights } from './estimate/model-memory.ts';

export interface PlaceRequest {
  readonly weights: ModelWeights;
  readonly layerCount: number;
  /** Cells and states of each layer, which are on the same device as the layer. */
  readonly contextBytes: readonly number[];
  /** Nearly the whole buffer is needed on every device that computes any layer. */
  readonly computeBytes: number;
  readonly copiesBytes: number;
  readonly cards: readonly { readonly budgetBytes: number; readonly isUnified: boolean }[];
  readonly hostFreeBytes: number | null;
  /** The share of experts in a layer, used if the tensors are not known. 0 for a dense model. */
  readonly expertShare: number;
  readonly placement: 'devices' | 'experts-on-host' | 'partly-on-host';
}

export interface Placement {
  /** The number of repeating layers on devices, plus one if the output is there, too. */
  readonly gpuLayers: number;
  /** For how many of the first layers the experts are on the host. It is as few as possible. */
  readonly hostExperts: number;
  readonly devices: readonly { readonly layers: number; readonly bytes: number; readonly budgetBytes: number }[];
  readonly hostBytes: number;
}

/**
 * Fills the cards with layers, in order and one card at a time. The engine puts the last layers and the output on
 * devices first, so a part that fits is the end of the model. Null if the placement does not fit.
 */
export function placeLayers(request: PlaceRequest): Placement | null {
  const { weights, layerCount, contextBytes, placement } = request;
  const layers = layerWeights(weights, layerCount, request.expertShare);
  const takenAlong = placement === 'devices' ? 0 : largestOf(weights, layers);
  const own = { ...request, computeBytes: request.computeBytes + takenAlong };
  const hasExperts = layers.some((layer) => layer.expertBytes > 0);
  if (placement === 'experts-on-host' && !hasExperts) return null;
  const sizesWith = (hostExperts: number): readonly number[] =>
    layers.map((layer, index) => {
      const kept = contextBytes[index] ?? 0;
      return layer.bytes - (index < hostExperts ? layer.expertBytes : 0) + kept;
    });
  const repeating = layers.reduce((sum, layer) => sum + layer.bytes, 0);
  const output = outputBytes(weights, repeating);
  const inputs = weights.inputBytes ?? 0;
  const all = layers.map((_, index) => index);
  const isApart = placement === 'experts-on-host';
  // More experts on the host never need more card memory.
  const hostExperts = isApart
    ? largestThatHolds(-1, layers.length, (count) => fill(own, sizesWith(count), all, output) === null) + 1
    : 0;
  const sizes = sizesWith(hostExperts);
  const order = placement === 'partly-on-host' ? lastThatFit(own, sizes, output) : all;
  if (order === null) return null;
  const filled = fill(own, sizes, order, output);
  if (filled === null) return null;
  const experts = layers.slice(0, hostExperts).reduce((sum, layer) => sum + layer.expertBytes, 0);
  const onDevices = new Set(order);
  const left = sizes.reduce((sum, bytes, index) => (onDevices.has(index) ? sum : sum + bytes), 0);
  const hostBytes = inputs + experts + left;
  const unified = request.cards.some((card) => card.isUnified);
  const first = filled[0];
  if (unified && first !== undefined && first.bytes + hostBytes > first.budgetBytes) return null;
  if (!unified && request.hostFreeBytes !== null && hostBytes > request.hostFreeBytes) return null;
  return { gpuLayers: order.length + 1, hostExperts, devices: filled, hostBytes };
}

/** Null if the layers do not fit on the cards in this order. */
function fill(
  { cards, computeBytes, copiesBytes }: PlaceRequest,
  sizes: readonly number[],
  order: readonly number[],
  output: number,
): Placement['devices'] | null {
  const devices = cards.map((card) => ({ layers: 0, bytes: 0, budgetBytes: card.budgetBytes }));
  let at = 0;
  for (const [place, index] of order.entries()) {
    // The output is on the same device as the last layer.
    const bytes = (sizes[index] ?? 0) + (place === order.length - 1 ? output : 0);
    for (;;) {
      const device = devices[at];
      if (device === undefined) return null;
      const start = device.layers === 0 ? computeBytes + copiesBytes : 0;
      if (device.bytes + start + bytes <= device.budgetBytes) {
        device.bytes += start + bytes;
        device.layers += 1;
        break;
      }
      at += 1;
    }
  }
  return devices;
}

/**
 * The most layers at the end of the model that fit. Null if not even the output and one layer do. Fewer layers never
 * need more memory.
 */
function lastThatFit(request: PlaceRequest, sizes: readonly number[], output: number): readonly number[] | null {
  const endFrom = (start: number): readonly number[] => sizes.map((_, index) => index).slice(start);
  const fits = (start: number): boolean => fill(request, sizes, endFrom(start), output) !== null;
  const start = largestThatHolds(0, sizes.length, (layer) => !fits(layer)) + 1;
  return start < sizes.length ? endFrom(start) : null;
}

/** The sizes of the layers. If only the sum is known, all layers count as equal, and the output as one more. */
function layerWeights(
  weights: ModelWeights,
  layerCount: number,
  expertShare: number,
): readonly { readonly bytes: number; readonly expertBytes: number }[] {
  if (weights.layers !== null) return weights.layers;
  const bytes = (weights.totalBytes - (weights.inputBytes ?? 0)) / (layerCount + 1);
  return Array.from({ length: layerCount }, () => ({ bytes, expertBytes: bytes * expertShare }));
}

/**
 * The largest tensor of a layer. For a long prompt, weights in main memory are copied to the card one after the
 * other, and need room there beside the computation. If the tensors are unknown, one of the three in a feed-forward
 * part is taken to be larger, because it has more bits.
 */
function largestOf(
  { largestBytes }: ModelWeights,
  layers: readonly { readonly bytes: number; readonly expertBytes: number }[],
): number {
  const guesses = layers.map(({ bytes, expertBytes }) => Math.max(expertBytes * 0.45, (bytes - expertBytes) * 0.35));
  return largestBytes ?? Math.max(0, ...guesses);
}

/** Tied embeddings are also the output and must be on the device. Untied ones stay on the host. */
function outputBytes(weights: ModelWeights, repeating: number): number {
  const rest = weights.totalBytes - repeating;
  return weights.isTied === false ? rest - (weights.inputBytes ?? 0) : rest;
}
