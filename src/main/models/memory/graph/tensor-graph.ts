import { createArena } from './graph-arena.ts';
import type { Block } from './graph-arena.ts';

/** A tensor of a graph that is written down step by step. */
export interface GraphTensor {
  readonly bytes: number;
  readonly from: readonly GraphTensor[];
  readonly kind: 'input' | 'step' | 'in-place' | 'view';
  /** Tensors of one layout may take each other's place. */
  readonly layout: string;
}

/** Weights are elsewhere, so they are no tensors here. */
export interface TensorGraph {
  /** Filled before the first step, and placed before all of them. */
  readonly input: (bytes: number) => GraphTensor;
  readonly step: (bytes: number, ...from: readonly GraphTensor[]) => GraphTensor;
  /** Written over the first tensor that nothing else reads, if one has the same layout. */
  readonly inPlace: (layout: GraphTensor, ...from: readonly GraphTensor[]) => GraphTensor;
  /** Another view of the same memory. A `flat` one has the layout of its own memory. */
  readonly view: (from: GraphTensor, isFlat?: boolean) => GraphTensor;
  readonly peakBytes: () => number;
}

interface Held {
  readers: number;
  views: number;
  block: Block | null;
}

/** Places the tensors in the order in which they were written down, as `ggml_gallocr` of llama.cpp v0.4.0 does. */
export function createTensorGraph(): TensorGraph {
  const inputs: GraphTensor[] = [];
  const steps: GraphTensor[] = [];
  const add = (tensor: GraphTensor, to: GraphTensor[] = steps): GraphTensor => {
    to.push(tensor);
    return tensor;
  };
  return {
    input: (bytes) => add({ bytes, from: [], kind: 'input', layout: 'input' }, inputs),
    step: (bytes, ...from) => add({ bytes, from, kind: 'step', layout: `flat ${bytes}` }),
    inPlace: ({ bytes, layout }, ...from) => add({ bytes, from, kind: 'in-place', layout }),
    view: (from, isFlat = true) =>
      add({ bytes: from.bytes, from: [from], kind: 'view', layout: isFlat ? from.layout : 'turned' }),
    peakBytes: () => placed(inputs, steps),
  };
}

function placed(inputs: readonly GraphTensor[], steps: readonly GraphTensor[]): number {
  const arena = createArena();
  const held = new Map<GraphTensor, Held>();
  const of = (tensor: GraphTensor): Held => {
    const known = held.get(tensor) ?? { readers: 0, views: 0, block: null };
    held.set(tensor, known);
    return known;
  };
  const root = (tensor: GraphTensor): GraphTensor => {
    const [first] = tensor.from;
    return tensor.kind === 'view' && first !== undefined ? root(first) : tensor;
  };
  for (const tensor of inputs) of(tensor).block = arena.take(tensor.bytes);
  for (const tensor of steps) {
    if (tensor.kind === 'view') of(root(tensor)).views += 1;
    for (const source of tensor.from) of(source).readers += 1;
  }
  const give = (tensor: GraphTensor): void => {
    const { block } = of(tensor);
    if (block !== null) arena.give(block);
    of(tensor).block = null;
  };
  const reused = (tensor: GraphTensor): Block | null => {
    if (tensor.kind !== 'in-place') return null;
    for (const source of tensor.from) {
      if (source.layout !== tensor.layout || of(source).readers !== 1 || of(source).views !== 0) continue;
      const own = root(source);
      const isFree = source === own || (of(own).views === 1 && of(own).readers === 0);
      const { block } = of(own);
      if (!isFree || block === null) continue;
      of(own).block = null;
      return block;
    }
    return null;
  };
  for (const tensor of steps) {
    if (tensor.kind !== 'view') of(tensor).block = reused(tensor) ?? arena.take(tensor.bytes);
    for (const source of tensor.from) {
      const state = of(source);
      state.readers -= 1;
      if (state.readers > 0 || state.views > 0) continue;
      const own = root(source);
      if (own !== source) of(own).views -= 1;
      if (of(own).readers === 0 && of(own).views === 0) give(own);
    }
  }
  return arena.peakBytes();
}
