import type { CellCounts, ContextRequest } from '../estimate/context-memory.ts';
import type { ComputeGraph } from './compute-graph.ts';
import { createArena } from './graph-arena.ts';
import type { Block } from './graph-arena.ts';
import { placeAttention } from './graph-attention.ts';
import { placeFeedForward } from './graph-feed-forward.ts';
import type { GraphLayer, GraphShape } from './graph-shape.ts';

/** The inputs of one kind of layer, by the last step that reads them. */
interface KindInputs {
  /** The matrices that turn Q and K. */
  readonly placed: readonly Block[];
  /** Places in the cache. */
  readonly written: readonly Block[];
  /** The mask. */
  readonly read: readonly Block[];
  /** The matrices that turn V back. */
  readonly turned: readonly Block[];
}

/**
 * Bytes of the compute buffer. Goes through the graph as the engine does when it reserves the buffer: each tensor is
 * taken when it is computed and given back after its last reader. Steps that the engine does in place take nothing.
 * The order of inputs and steps is that of `llama-graph.cpp` and the family's own file in llama.cpp v0.4.0.
 */
export function graphBytes(
  shape: GraphShape,
  {
    cells,
    request,
    outputs,
  }: { readonly cells: CellCounts; readonly request: ContextRequest; readonly outputs: number },
): number {
  const arena = createArena();
  const tokens = Math.min(request.ubatchTokens, request.contextTokens);
  const graphOf = (count: number): ComputeGraph => ({
    shape,
    arena,
    request,
    cells,
    tokens: count,
    take: (elements) => arena.take(4 * elements * count),
  });
  const graph = graphOf(tokens);
  const words = arena.take(4 * tokens);
  // Room for embeddings from outside, which is never given back.
  graph.take(shape.width);
  const perLayerWords = shape.perLayerInputs === null ? null : arena.take(4 * tokens);
  const inputs = layInputs(graph);
  const rowIds = arena.take(4 * outputs);
  let stream = graph.take(shape.width);
  arena.give(words);
  const perLayer = startPerLayer(graph, perLayerWords);
  const last = shape.layers.length - 1;
  shape.layers.forEach((layer, index) => {
    const isLast = index === last && shape.rows === 'in-last-layer';
    const attended = placeAttention(graph, layer, (step) => endInputs(graph, inputs, { layer, index, step }));
    const rows = isLast ? graphOf(outputs) : graph;
    let [output, residual] = [attended, stream];
    if (isLast) {
      output = rows.take(shape.width);
      arena.give(attended);
      residual = rows.take(shape.width);
      arena.give(rowIds, stream);
    }
    // The sum is written over attention's output. With inputs for every layer, the first stream is read once more.
    const isKept = index === 0 && shape.perLayerInputs !== null;
    if (!isKept) arena.give(residual);
    stream = placeFeedForward(rows, layer, output);
    perLayer(index, isKept ? residual : null);
  });
  finish(graph, { stream, rowIds, outputs });
  return arena.peakBytes();
}

/** Takes indexes, turning matrices and masks, in the order in which the steps first use them. */
function layInputs({ shape, arena, tokens, request, cells }: ComputeGraph): Inputs {
  const inputs = new Map<boolean, KindInputs>();
  const position = arena.take(4 * tokens);
  const isTurned = request.cacheType !== 'f16';
  for (const layer of shape.layers) {
    if (layer.attention === 'linear' || inputs.has(layer.isWindow)) continue;
    const turns = isTurned && layer.attention !== 'latent' ? layer.turns : { key: 0, value: 0 };
    const places = request.flashAttention ? 8 : 8 * shape.widestValue;
    const maskBytes = (request.flashAttention ? 2 : 4) * (layer.isWindow ? cells.window : cells.full);
    const keyTurn = arena.take(turns.key);
    const valueTurn = arena.take(turns.value);
    inputs.set(layer.isWindow, {
      placed: [keyTurn],
      written: [arena.take(8 * tokens), ...(layer.attention === 'latent' ? [] : [arena.take(places * tokens)])],
      read: [arena.take(maskBytes * tokens)],
      turned: [valueTurn],
    });
  }
  return { position, kinds: inputs };
}

interface Inputs {
  readonly position: Block;
  /** By whether the layers have a window. */
  readonly kinds: ReadonlyMap<boolean, KindInputs>;
}

/** Gives the inputs of a kind back in its last layer, each after its last reader. */
function endInputs(
  { shape, arena }: ComputeGraph,
  { position, kinds }: Inputs,
  { layer, index, step }: { readonly layer: GraphLayer; readonly index: number; readonly step: keyof KindInputs },
): void {
  // A layer without cells of its own writes nothing. The last layer with cells has given the places back.
  if (step === 'written' && !layer.ownsCells) return;
  const later = shape.layers.slice(index + 1);
  const attending = later.filter((other) => other.attention !== 'linear');
  if (step === 'placed' && attending.length === 0) arena.give(position);
  const isRead = (other: GraphLayer): boolean =>
    other.isWindow === layer.isWindow && (step !== 'written' || other.ownsCells);
  if (!attending.some(isRead)) arena.give(...(kinds.get(layer.isWindow)?.[step] ?? []));
}

/**
 * Gemma 4's inputs for every layer: looked up at the start, mixed with the scaled embeddings in the first layer, and
 * kept to the end. The returned function goes through one layer's part of them.
 */
function startPerLayer(graph: ComputeGraph, words: Block | null): (index: number, first: Block | null) => void {
  const { shape, arena } = graph;
  const inputs = shape.perLayerInputs;
  if (inputs === null || words === null) return () => undefined;
  const raw = graph.take(inputs.all);
  arena.give(words);
  const looked = graph.take(inputs.all);
  arena.give(raw);
  let mixed: Block | null = null;
  return (index, first) => {
    const gate = graph.take(inputs.width);
    if (mixed === null) {
      const flat = graph.take(inputs.all);
      if (first !== null) arena.give(first);
      const projected = graph.take(inputs.all);
      arena.give(flat, looked);
      mixed = graph.take(inputs.all);
      arena.give(projected);
    }
    if (index === shape.layers.length - 1) arena.give(mixed);
    const back = graph.take(shape.width);
    arena.give(gate, back);
  };
}

/** The last norm is written over the stream. Logits are computed for the requested rows. */
function finish(
  { shape, arena }: ComputeGraph,
  { stream, rowIds, outputs }: { readonly stream: Block; readonly rowIds: Block; readonly outputs: number },
): void {
  // The engine keeps the stream both before and after this, because layers that predict further tokens may read it.
  if (shape.rows !== 'in-last-layer') {
    arena.take(4 * shape.width * outputs);
    arena.give(rowIds);
  }
  arena.take(4 * shape.vocabulary * outputs);
  void stream;
}
