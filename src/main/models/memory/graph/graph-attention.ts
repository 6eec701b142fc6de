import type { Block } from './graph-arena.ts';
import type { ComputeGraph } from './compute-graph.ts';
import type { GraphLayer } from './graph-shape.ts';

/**
 * Reports that a layer no longer needs an input: after placing Q and K, writing K and V, reading the mask, or
 * turning V back.
 */
export type AttentionStepDone = (step: 'placed' | 'written' | 'read' | 'turned') => void;

/** From the stream to the output of a layer's attention, which has the stream's width. */
export function placeAttention(graph: ComputeGraph, layer: GraphLayer, done: AttentionStepDone): Block {
  switch (layer.attention) {
    case 'plain':
      return plain(graph, layer, done);
    case 'fused':
      return fused(graph, layer, done);
    case 'gated':
      return gated(graph, layer, done);
    case 'linear':
      return linear(graph);
    case 'latent':
      return latent(graph, layer, done);
    case 'expanded':
      return expanded(graph, layer, done);
    default:
      return layer.attention satisfies never;
  }
}

/** A quantized cache gets turned values. The turned copy replaces the original. */
function turned(
  { arena, take, request }: ComputeGraph,
  from: Block,
  { elements, by }: { elements: number; by: number },
): Block {
  if (request.cacheType === 'f16' || by === 0) return from;
  const copy = take(elements);
  arena.give(from);
  return copy;
}

function plain(graph: ComputeGraph, layer: GraphLayer, done: AttentionStepDone): Block {
  const { arena, take, shape } = graph;
  const normed = take(shape.normWidth);
  const nothing = (): void => undefined;
  const giveNorm = (): void => arena.give(normed);
  const first = { layer, elements: layer.queryWidth, part: 'key' } as const;
  const query = written(graph, first, layer.ownsCells ? nothing : giveNorm);
  if (!layer.ownsCells) return project(graph, core(graph, layer, { query, done }));
  const key = { layer, elements: layer.keyWidth, part: 'key' } as const;
  const value = { layer, elements: layer.valueWidth, part: 'value' } as const;
  const one = written(graph, shape.keysFirst ? key : value, nothing);
  const two = written(graph, shape.keysFirst ? value : key, giveNorm);
  arena.give(one, two);
  return project(graph, core(graph, layer, { query, done }));
}

/**
 * Q, K or V. Splitting into heads makes a view, and nothing is done in place on a view. So the norm of the heads, or
 * turning them by position, needs its own tensor. `read` is called after the matrix multiplication.
 */
function written(
  graph: ComputeGraph,
  { layer, elements, part }: { readonly layer: GraphLayer; readonly elements: number; readonly part: 'key' | 'value' },
  read: () => void,
): Block {
  const { arena, take, shape } = graph;
  const raw = take(elements);
  read();
  if (part === 'value' && !shape.normsValues) return turned(graph, raw, { elements, by: layer.turns.value });
  const placed = take(elements);
  arena.give(raw);
  return turned(graph, placed, { elements, by: layer.turns[part] });
}

/** One matrix for Q, K and V. Their parts are views, and turning by position writes new tensors. */
function fused(graph: ComputeGraph, layer: GraphLayer, done: AttentionStepDone): Block {
  const { arena, take, shape, request } = graph;
  const normed = take(shape.normWidth);
  const all = take(layer.queryWidth + layer.keyWidth + layer.valueWidth);
  arena.give(normed);
  const query = turned(graph, take(layer.queryWidth), { elements: layer.queryWidth, by: layer.turns.key });
  const isTurned = request.cacheType !== 'f16' && layer.turns.value > 0;
  const value = isTurned ? turned(graph, take(layer.valueWidth), { elements: layer.valueWidth, by: 1 }) : null;
  const key = turned(graph, take(layer.keyWidth), { elements: layer.keyWidth, by: layer.turns.key });
  if (value !== null) arena.give(all);
  arena.give(key);
  if (value !== null) arena.give(value);
  else if (request.flashAttention) arena.give(all);
  else {
    const copy = take(layer.valueWidth);
    arena.give(all, copy);
  }
  return project(graph, core(graph, layer, { query, done }));
}

/** Q comes with a gate, which is kept until attention is done. */
function gated(graph: ComputeGraph, layer: GraphLayer, done: AttentionStepDone): Block {
  const { arena, take, shape } = graph;
  const normed = take(shape.normWidth);
  const both = take(2 * layer.queryWidth);
  const query = turned(graph, take(layer.queryWidth), { elements: layer.queryWidth, by: layer.turns.key });
  const value = written(graph, { layer, elements: layer.valueWidth, part: 'value' }, () => undefined);
  const key = written(graph, { layer, elements: layer.keyWidth, part: 'key' }, () => arena.give(normed));
  arena.give(key, value);
  const out = core(graph, layer, { query, done });
  const gate = take(layer.queryWidth);
  // The product is written over the gate, because attention's output is a view.
  arena.give(both, out);
  return project(graph, gate);
}

/** Attention itself: with the fused kernel, or with the scores of every head for every cell. */
function core(
  graph: ComputeGraph,
  layer: GraphLayer,
  { query, done }: { readonly query: Block; readonly done: AttentionStepDone },
): Block {
  const { arena, take, request, cells } = graph;
  done('placed');
  done('written');
  if (request.flashAttention) {
    const out = take(layer.outWidth);
    arena.give(query);
    done('read');
    const back = turned(graph, out, { elements: layer.outWidth, by: layer.turns.value });
    done('turned');
    return back;
  }
  const scores = take(layer.heads * (layer.isWindow ? cells.window : cells.full));
  arena.give(query);
  done('read');
  const perHead = take(layer.outWidth);
  arena.give(scores);
  const out = take(layer.outWidth);
  arena.give(perHead);
  return out;
}

function project({ arena, take, shape }: ComputeGraph, out: Block): Block {
  const projected = take(shape.width);
  arena.give(out);
  return projected;
}

/** A gated delta net: a convolution over the mixed Q, K and V, then the step of the state (`delta-net-base.cpp`). */
function linear({ arena, take, shape, tokens, request }: ComputeGraph): Block {
  const sizes = shape.linear;
  if (sizes === null) throw new Error('A linear layer without its sizes.');
  const sequences = Math.max(1, request.slots);
  const kept = (sizes.kernel - 1) * sizes.convolution * sequences;
  // The matrix's result is viewed as heads, so the next step writes a new tensor.
  const narrow = (elements: number): Block => {
    const raw = take(elements);
    const written = take(elements);
    arena.give(raw);
    return written;
  };
  const normed = take(shape.normWidth);
  const tail = arena.take(4 * kept);
  const mixed = take(sizes.convolution);
  const input = arena.take(4 * (sizes.convolution * tokens + kept));
  arena.give(tail, mixed);
  const state = arena.take(4 * sizes.stateElements * sequences);
  const convolved = take(sizes.convolution);
  arena.give(input);
  const query = take(sizes.keys);
  const key = take(sizes.keys);
  const decay = narrow(sizes.heads);
  const beta = narrow(sizes.heads);
  const result = arena.take(4 * (sizes.inner * tokens + sizes.stateElements * sequences));
  arena.give(query, key, convolved, decay, beta, state);
  const output = take(sizes.inner);
  arena.give(result);
  const raw = take(sizes.inner);
  arena.give(normed);
  const gate = take(sizes.inner);
  arena.give(raw, gate);
  const projected = take(shape.width);
  arena.give(output);
  return projected;
}

/** Latent attention with absorbed matrices: one head of K for all heads, and V is a part of it (`deepseek2.cpp`). */
function latent(graph: ComputeGraph, layer: GraphLayer, done: AttentionStepDone): Block {
  const { arena, take, shape, request, cells } = graph;
  const sizes = shape.latent;
  if (sizes === null) throw new Error('A latent layer without its sizes.');
  const normed = take(shape.normWidth);
  const query = firstQuery(graph, layer, sizes.queryRank);
  const absorbed = take(layer.heads * sizes.rank);
  const turnedPart = take(layer.heads * sizes.rope);
  arena.give(query);
  const whole = take(layer.heads * (sizes.rank + sizes.rope));
  arena.give(absorbed, turnedPart);
  const compressed = take(sizes.rank + sizes.rope);
  arena.give(normed);
  const latentNorm = take(sizes.rank);
  const position = take(sizes.rope);
  arena.give(compressed);
  const key = take(sizes.rank + sizes.rope);
  arena.give(latentNorm, position, key);
  done('placed');
  done('written');
  const wide = layer.heads * sizes.rank;
  if (request.flashAttention) {
    const out = take(wide);
    arena.give(whole);
    done('read');
    const expandedOut = take(layer.outWidth);
    arena.give(out);
    const straight = take(layer.outWidth);
    arena.give(expandedOut);
    return project(graph, straight);
  }
  const scores = take(layer.heads * cells.full);
  arena.give(whole);
  done('read');
  const values = arena.take(2 * sizes.rank * cells.full);
  const perHead = take(wide);
  arena.give(values, scores);
  const expandedOut = take(layer.outWidth);
  arena.give(perHead);
  const straight = take(layer.outWidth);
  arena.give(expandedOut);
  return project(graph, straight);
}

/** The same family without absorbed matrices: every head has its own K and V, expanded from the latent ones. */
function expanded(graph: ComputeGraph, layer: GraphLayer, done: AttentionStepDone): Block {
  const { arena, take, shape } = graph;
  const sizes = shape.latent;
  if (sizes === null) throw new Error('A latent layer without its sizes.');
  const plainWidth = layer.queryWidth - layer.heads * sizes.rope;
  const normed = take(shape.normWidth);
  const raw = firstQuery(graph, layer, sizes.queryRank);
  const placed = take(layer.queryWidth);
  arena.give(raw);
  const query = turned(graph, placed, { elements: layer.queryWidth, by: layer.turns.key });
  const compressed = take(sizes.rank + sizes.rope);
  arena.give(normed);
  const latentNorm = take(sizes.rank);
  const both = take(plainWidth + layer.outWidth);
  arena.give(latentNorm);
  const value = turned(graph, take(layer.outWidth), { elements: layer.outWidth, by: layer.turns.value });
  const position = take(sizes.rope);
  arena.give(compressed);
  const repeated = take(layer.heads * sizes.rope);
  arena.give(position);
  const joined = take(layer.keyWidth);
  arena.give(both, repeated);
  const key = turned(graph, joined, { elements: layer.keyWidth, by: layer.turns.key });
  arena.give(key, value);
  return project(graph, core(graph, layer, { query, done }));
}

function firstQuery({ arena, take }: ComputeGraph, layer: GraphLayer, rank: number): Block {
  if (rank === 0) return take(layer.queryWidth);
  const short = take(rank);
  const query = take(layer.queryWidth);
  arena.give(short);
  return query;
}
