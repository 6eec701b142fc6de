import { ggufFile } from './gguf-file.ts';
import type { GgufParts } from './gguf-file.ts';

export interface ProjectorParts {
  /** `gemma3` scales each picture to one size. `qwen3vl_merger` takes more tokens for larger ones. */
  readonly kind?: 'gemma3' | 'qwen3vl_merger';
  /** The width of the model that it belongs to. 576: SmolLM2 of 135M. */
  readonly modelWidth?: number;
  readonly imageSize?: number;
  readonly width?: number;
  readonly layers?: number;
  readonly heads?: number;
  readonly feedForward?: number;
}

type Tensors = NonNullable<GgufParts['tensors']>;

const patch = 16;
const merge = 2;

/**
 * A whole projector with random weights, small enough for a test. A real llama-server loads it: what a model says
 * about a picture through it is nonsense, but the way is the real one.
 */
export function projectorFile({
  kind = 'qwen3vl_merger',
  modelWidth = 576,
  imageSize = 128,
  width = 64,
  layers = 2,
  heads = 4,
  feedForward = 128,
}: ProjectorParts = {}): Buffer {
  const isQwen = kind === 'qwen3vl_merger';
  const patches = (imageSize / patch) ** 2;
  return ggufFile({
    keys: [
      ['general.architecture', 'clip'],
      ['general.type', 'mmproj'],
      ['clip.has_vision_encoder', true],
      ['clip.projector_type', kind],
      ['clip.use_gelu', true],
      ['clip.vision.embedding_length', width],
      ['clip.vision.attention.head_count', heads],
      ['clip.vision.feed_forward_length', feedForward],
      ['clip.vision.block_count', layers],
      ['clip.vision.projection_dim', modelWidth],
      ['clip.vision.attention.layer_norm_epsilon', { float: 1e-6 }],
      ['clip.vision.image_size', imageSize],
      ['clip.vision.patch_size', patch],
      [isQwen ? 'clip.vision.spatial_merge_size' : 'clip.vision.projector.scale_factor', merge],
      ['clip.vision.image_mean', { floats: [0.5, 0.5, 0.5] }],
      ['clip.vision.image_std', { floats: [0.5, 0.5, 0.5] }],
    ],
    tensors: [
      { name: 'v.patch_embd.weight', values: patch * patch * 3 * width, shape: [patch, patch, 3, width] },
      ...(isQwen
        ? [{ name: 'v.patch_embd.weight.1', values: patch * patch * 3 * width, shape: [patch, patch, 3, width] }]
        : []),
      { name: 'v.patch_embd.bias', values: width },
      matrix('v.position_embd.weight', width, patches),
      ...Array.from({ length: layers }, (_, layer) => `v.blk.${layer}`).flatMap((layer) => [
        ...norm(`${layer}.ln1`, width),
        ...norm(`${layer}.ln2`, width),
        ...(isQwen
          ? linear(`${layer}.attn_qkv`, width, 3 * width)
          : ['attn_q', 'attn_k', 'attn_v'].flatMap((name) => linear(`${layer}.${name}`, width, width))),
        ...linear(`${layer}.attn_out`, width, width),
        ...linear(`${layer}.ffn_up`, width, feedForward),
        ...linear(`${layer}.ffn_down`, feedForward, width),
      ]),
      ...norm('v.post_ln', width),
      ...(isQwen
        ? [
            ...linear('mm.0', width * merge * merge, width * merge * merge),
            ...linear('mm.2', width * merge * merge, modelWidth),
          ]
        : [
            matrix('mm.input_projection.weight', modelWidth, width),
            { name: 'mm.soft_emb_norm.weight', values: width },
          ]),
    ],
    fill: (name, values) => weights(name.length + values, values),
  });
}

function matrix(name: string, columns: number, rows: number): Tensors[number] {
  return { name, values: columns * rows, shape: [columns, rows] };
}

function norm(name: string, width: number): Tensors {
  return ['weight', 'bias'].map((part) => ({ name: `${name}.${part}`, values: width }));
}

function linear(name: string, columns: number, rows: number): Tensors {
  return [matrix(`${name}.weight`, columns, rows), { name: `${name}.bias`, values: rows }];
}

/** The same small numbers each time. */
function weights(seed: number, values: number): Float32Array {
  const made = new Float32Array(values);
  let state = seed;
  for (let index = 0; index < values; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    made[index] = (state / 2 ** 32 - 0.5) * 0.1;
  }
  return made;
}
