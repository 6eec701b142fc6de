import type { Block } from './graph-arena.ts';
import type { ComputeGraph } from './compute-graph.ts';
import type { GraphLayer } from './graph-shape.ts';

/** From attention's output (with the residual added) to the next layer's stream. Gives `input` back. */
export function placeFeedForward(graph: ComputeGraph, layer: GraphLayer, input: Block): Block {
  const { arena, shape } = graph;
  switch (layer.feed) {
    case 'gated': {
      const output = dense(graph, shape.feedForward, 'gated');
      arena.give(input);
      return output;
    }
    case 'halved': {
      // In contrast to other families, the sum is written over the residual (`phi3.cpp`).
      arena.give(dense(graph, shape.feedForward, 'halved'));
      return input;
    }
    case 'experts': {
      const output = experts(graph);
      arena.give(input);
      return output;
    }
    case 'experts-beside-dense': {
      const routed = besideDense(graph);
      const output = dense(graph, shape.feedForward, 'gated');
      arena.give(routed, input);
      return output;
    }
    default:
      return layer.feed satisfies never;
  }
}

/**
 * The norm, gate and up side by side (or as two halves of one matrix), their product, and back to the stream's
 * width.
 */
function dense(graph: ComputeGraph, width: number, kind: 'gated' | 'halved'): Block {
  const normed = graph.take(graph.shape.normWidth);
  return denseFrom(graph, normed, { width, kind });
}

/** Gives `normed` back. */
function denseFrom(
  { arena, take, shape }: ComputeGraph,
  normed: Block,
  { width, kind }: { readonly width: number; readonly kind: 'gated' | 'halved' },
): Block {
  const gate = take(kind === 'halved' ? 2 * width : width);
  const up = kind === 'halved' ? null : take(width);
  arena.give(normed);
  const product = take(width);
  arena.give(gate);
  if (up !== null) arena.give(up);
  const down = take(shape.width);
  arena.give(product);
  return down;
}

function experts(graph: ComputeGraph): Block {
  const { arena, take, shape } = graph;
  const sizes = shape.experts;
  if (sizes === null) throw new Error('Experts without their sizes.');
  const normed = take(shape.normWidth);
  const choice = choose(graph, take(sizes.count));
  const hasShared = sizes.sharedForward > 0;
  const output = routed(graph, { normed, ...choice, keepsNorm: hasShared });
  if (hasShared) {
    const kept = sizes.gatesShared ? { offset: 0, bytes: 0 } : normed;
    const shared = denseFrom(graph, kept, { width: sizes.sharedForward, kind: 'gated' });
    if (sizes.gatesShared) arena.give(take(1), normed);
    arena.give(shared);
  }
  return output;
}

/** Gemma 4 routes by the stream itself, and its experts have their own norm. */
function besideDense(graph: ComputeGraph): Block {
  const { arena, take, shape } = graph;
  const sizes = shape.experts;
  if (sizes === null) throw new Error('Experts without their sizes.');
  const routing = take(shape.width);
  const logits = take(sizes.count);
  arena.give(routing);
  const choice = choose(graph, logits);
  const normed = take(shape.normWidth);
  return routed(graph, { normed, ...choice, keepsNorm: false });
}

/** Chooses the experts of each token and their weights. Gives `logits` back. */
function choose(
  { arena, take, shape }: ComputeGraph,
  logits: Block,
): { readonly order: Block; readonly weights: Block } {
  const sizes = shape.experts;
  if (sizes === null) throw new Error('Experts without their sizes.');
  const biased = sizes.isBiased ? take(sizes.count) : null;
  const order = take(sizes.count);
  if (biased !== null) arena.give(biased);
  const raw = take(sizes.used);
  arena.give(logits);
  if (!sizes.normsWeights) return { order, weights: raw };
  const sum = take(1);
  const weights = take(sizes.used);
  arena.give(raw, sum);
  return { order, weights };
}

function routed(
  { arena, take, shape }: ComputeGraph,
  {
    normed,
    order,
    weights,
    keepsNorm,
  }: { readonly normed: Block; readonly order: Block; readonly weights: Block; readonly keepsNorm: boolean },
): Block {
  const sizes = shape.experts;
  if (sizes === null) throw new Error('Experts without their sizes.');
  const wide = sizes.used * sizes.feedForward;
  const gate = take(wide);
  const up = take(wide);
  if (!keepsNorm) arena.give(normed);
  const product = take(wide);
  arena.give(gate, up);
  const down = take(sizes.used * shape.width);
  arena.give(product, order, weights);
  const output = take(shape.width);
  arena.give(down);
  return output;
}
