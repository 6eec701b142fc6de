import { numberOf } from '../gguf/gguf-keys.ts';
import type { GgufKeys } from '../gguf/gguf-keys.ts';
import { projectorGraphBytes } from '../graph/projector-graph.ts';

/** The facts of a projector (GGUF `mmproj`), with which a model of its width sees pictures. */
export interface ProjectorFacts {
  /** As llama.cpp names it (`clip.projector_type`). */
  readonly kind: string;
  /** The width of the model that it was made for. Null: the file does not say. */
  readonly modelWidth: number | null;
  readonly weightsBytes: number;
  readonly width: number;
  readonly layers: number;
  readonly feedForward: number;
  /** The side of a patch in pixels, and how many patches make one token, by side. */
  readonly patch: number;
  readonly merge: number;
  readonly imageSize: number;
  /** How many tokens a picture takes. `null` for a kind without a rule here. */
  readonly size: PictureSize | null;
}

/** `fixed`: every picture is scaled to one size. Otherwise larger pictures take more tokens, within limits. */
type PictureSize =
  | { readonly type: 'fixed' }
  | { readonly type: 'by-pixels'; readonly least: number; readonly most: number };

interface Kind {
  readonly size: PictureSize;
  /** Where a model reads the tokens of a picture all at once, they must fit into one batch. */
  readonly isReadAtOnce?: boolean;
  readonly mergeKey: 'projector.scale_factor' | 'spatial_merge_size';
  readonly merge: number;
}

const byPixels = (least: number, most: number): PictureSize => ({ type: 'by-pixels', least, most });

/**
 * From llama.cpp v0.4.0: `load_hparams` and `clip_n_output_tokens` of `tools/mtmd/clip.cpp`, and
 * `mtmd_decode_use_non_causal` of `tools/mtmd/mtmd.cpp`.
 */
const kinds: Readonly<Record<string, Kind>> = {
  gemma3: { size: { type: 'fixed' }, isReadAtOnce: true, mergeKey: 'projector.scale_factor', merge: 4 },
  gemma4v: { size: byPixels(70, 1120), isReadAtOnce: true, mergeKey: 'projector.scale_factor', merge: 3 },
  qwen2vl_merger: { size: byPixels(8, 4096), mergeKey: 'spatial_merge_size', merge: 2 },
  'qwen2.5vl_merger': { size: byPixels(8, 4096), mergeKey: 'spatial_merge_size', merge: 2 },
  qwen3vl_merger: { size: byPixels(8, 4096), mergeKey: 'spatial_merge_size', merge: 2 },
};

const mostLayers = 1_000;
/** The most tokens for one picture that a server is asked for. A longer one is scaled down to it. */
const usefulTokens = 1024;

/** Null for a file that is no projector for pictures, or lacks a size that every such file has. */
export function readProjector(keys: GgufKeys, weightsBytes: number): ProjectorFacts | null {
  if (keys['general.architecture'] !== 'clip' || keys['clip.has_vision_encoder'] !== true) return null;
  const number = (name: string): number | null => numberOf(keys[`clip.vision.${name}`]);
  const kind = keys['clip.projector_type'] ?? keys['clip.vision.projector_type'];
  const [width, layers, patch] = [number('embedding_length'), number('block_count'), number('patch_size')];
  const [feedForward, imageSize] = [number('feed_forward_length'), number('image_size')];
  if (typeof kind !== 'string' || width === null || layers === null || patch === null || patch <= 0) return null;
  if (feedForward === null || imageSize === null) return null;
  // Real ones have some dozens. A header from outside must not make this machine count for minutes.
  if (layers > mostLayers) return null;
  const rule = kinds[kind];
  return {
    kind,
    modelWidth: number('projection_dim'),
    weightsBytes,
    width,
    layers,
    feedForward,
    patch,
    merge: rule === undefined ? 1 : (number(rule.mergeKey) ?? rule.merge),
    imageSize,
    size: rule?.size ?? null,
  };
}

/**
 * The most tokens that one picture takes of a context of this length. Null: a kind without a rule, whose server
 * decides.
 */
export function mostPictureTokens(facts: ProjectorFacts, contextTokens: number, batchTokens: number): number | null {
  const { size, kind } = facts;
  if (size === null) return null;
  if (size.type === 'fixed') return sideTokens(facts) ** 2;
  const atOnce = kinds[kind]?.isReadAtOnce === true ? batchTokens : usefulTokens;
  return Math.max(size.least, Math.min(size.most, usefulTokens, atOnce, Math.floor(contextTokens / 2)));
}

/** Whether the server takes `--image-max-tokens` for it. */
export const scalesPictures = ({ size }: ProjectorFacts): boolean => size?.type === 'by-pixels';

function sideTokens({ imageSize, patch, merge }: ProjectorFacts): number {
  return Math.floor(imageSize / patch / merge);
}

export interface SightMemory {
  readonly weightsBytes: number;
  /** For the largest picture. */
  readonly computeBytes: number;
  /** No rule covers the graph of this kind. */
  readonly isEstimate: boolean;
}

/** The memory that a server takes to see pictures, beside its model. */
export function sightMemory(facts: ProjectorFacts, most: number | null): SightMemory {
  const { weightsBytes, patch, merge, imageSize } = facts;
  const patches = most === null || !scalesPictures(facts) ? Math.floor(imageSize / patch) ** 2 : most * merge ** 2;
  const { bytes, isExact } = projectorGraphBytes(facts, patches);
  return { weightsBytes, computeBytes: bytes, isEstimate: !isExact };
}
