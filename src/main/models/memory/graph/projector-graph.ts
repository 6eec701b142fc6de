import { createTensorGraph } from './tensor-graph.ts';
import type { GraphTensor, TensorGraph } from './tensor-graph.ts';

/** The sizes of a projector that its graph is made of. */
export interface ProjectorSizes {
  readonly kind: string;
  readonly modelWidth: number | null;
  readonly width: number;
  readonly layers: number;
  readonly feedForward: number;
  readonly patch: number;
  readonly merge: number;
  readonly imageSize: number;
}

interface Parts extends ProjectorSizes {
  readonly graph: TensorGraph;
  /** Patches of the picture. */
  readonly patches: number;
  /** A tensor with this many numbers for each patch. */
  readonly step: (perPatch: number, ...from: readonly GraphTensor[]) => GraphTensor;
}

/**
 * The compute buffer for a picture of so many patches, with flash attention. Exact for the kinds whose graph was
 * read in llama.cpp v0.4.0 (`tools/mtmd/models/siglip.cpp`, `qwen3vl.cpp`, `build_vit` of `tools/mtmd/clip.cpp`), and
 * for others that of `build_vit`, as an estimate.
 */
export function projectorGraphBytes(
  sizes: ProjectorSizes,
  patches: number,
): { readonly bytes: number; readonly isExact: boolean } {
  const graph = createTensorGraph();
  const step: Parts['step'] = (perPatch, ...from) => graph.step(4 * perPatch * patches, ...from);
  const parts: Parts = { ...sizes, graph, patches, step };
  const isQwen = sizes.kind === 'qwen3vl_merger';
  if (isQwen) qwenGraph(parts);
  else plainGraph(parts);
  return { bytes: graph.peakBytes(), isExact: isQwen || sizes.kind === 'gemma3' };
}

/** The picture convolved (`ggml_conv_2d`): unrolled into half floats, multiplied with the weights, and turned. */
function convolved({ graph, patches, patch, width, step }: Parts, picture: GraphTensor): GraphTensor {
  const unrolled = graph.step(2 * patch * patch * 3 * patches, picture);
  const made = step(width, graph.view(unrolled));
  return step(width, graph.view(graph.view(made), false));
}

function pictureOf({ graph, patches, patch }: Parts): GraphTensor {
  return graph.input(4 * patches * patch * patch * 3);
}

/** A layer norm with weight and bias. The norm itself needs its own place, the other two do not. */
function norm({ graph, step, width }: Parts, from: GraphTensor): GraphTensor {
  const normed = step(width, from);
  return graph.inPlace(normed, graph.inPlace(normed, normed));
}

function linear({ graph, step }: Parts, wide: number, from: GraphTensor): GraphTensor {
  const made = step(wide, from);
  return graph.inPlace(made, made);
}

function attention(parts: Parts, [query, key, value]: readonly [GraphTensor, GraphTensor, GraphTensor]): GraphTensor {
  const { graph, patches, width } = parts;
  // The cache of a language model is half floats, too. Here they are copies.
  const asked = graph.view(query, false);
  const keys = graph.step(2 * width * patches, graph.view(key, false));
  const values = graph.step(2 * width * patches, graph.view(value, false));
  const seen = graph.view(parts.step(width, asked, keys, values));
  return linear(parts, width, seen);
}

function feedForward(parts: Parts, from: GraphTensor): GraphTensor {
  const { graph, feedForward: wide, width } = parts;
  const up = linear(parts, wide, from);
  return linear(parts, width, graph.inPlace(up, up));
}

function plainGraph(parts: Parts): void {
  const { graph, layers, width, patches, merge, modelWidth, step } = parts;
  const patched = step(width, graph.view(graph.view(convolved(parts, pictureOf(parts))), false));
  const biased = graph.inPlace(patched, patched);
  let stream = graph.view(graph.inPlace(biased, biased));
  const out = modelWidth ?? width;
  const turnedWeights: GraphTensor[] = [];
  for (let layer = 0; layer < layers; layer += 1) {
    const normed = norm(parts, stream);
    const part = (): GraphTensor => graph.view(linear(parts, width, normed));
    const qkv = [part(), part(), part()] as const;
    // The last product's first reader is visited before the rest of the graph that no layer has asked for yet.
    if (layer === layers - 1) turnedWeights.push(graph.step(4 * width * out));
    const attended = attention(parts, qkv);
    stream = graph.inPlace(attended, attended, stream);
    const fed = feedForward(parts, norm(parts, stream));
    stream = graph.inPlace(fed, stream, fed);
  }
  // The average of neighbors, and the norm and weights in front of the model.
  const turned = step(width, graph.view(graph.view(norm(parts, stream)), false));
  const tokens = patches / (merge * merge);
  const pooled = graph.step(4 * width * tokens, turned);
  const back = graph.step(4 * width * tokens, graph.view(graph.view(pooled), false));
  const scaled = graph.inPlace(back, graph.inPlace(back, back));
  graph.step(4 * out * tokens, ...turnedWeights, scaled);
}

function qwenGraph(parts: Parts): void {
  const { graph, layers, width, patches, patch, imageSize, modelWidth, step } = parts;
  const picture = pictureOf(parts);
  const positions = graph.input(4 * 4 * patches);
  const first = convolved(parts, picture);
  const second = convolved(parts, picture);
  const both = graph.inPlace(first, first, second);
  const merged = step(width, graph.view(both, false));
  const ordered = step(width, graph.view(graph.view(merged), false));
  const biased = graph.inPlace(ordered, ordered);
  const learned = patches === (imageSize / patch) ** 2 ? null : step(width, graph.view(step(width), false));
  const again = step(width, ...(learned === null ? [] : [learned]));
  const placed = step(width, graph.view(graph.view(again), false));
  let stream = graph.inPlace(biased, biased, placed);
  for (let layer = 0; layer < layers; layer += 1) {
    const all = linear(parts, 3 * width, norm(parts, stream));
    const query = step(width, graph.view(all, false), positions);
    const key = step(width, graph.view(all, false), positions);
    const attended = attention(parts, [query, key, graph.view(all, false)]);
    stream = graph.inPlace(attended, attended, stream);
    const fed = feedForward(parts, norm(parts, stream));
    stream = graph.inPlace(fed, stream, fed);
  }
  const grouped = graph.view(norm(parts, stream));
  const inner = linear(parts, width, grouped);
  const projected = graph.step((4 * (modelWidth ?? width) * patches) / 4, graph.inPlace(inner, inner));
  graph.inPlace(projected, projected);
}
