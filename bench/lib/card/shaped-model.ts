import { open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { scalarBytes } from '../../../src/main/models/memory/gguf/parse-gguf.ts';
import { float32, ggufAlignment, ggufHeader, ggufText, uint32, uint64 } from '../gguf-bytes.ts';
import { seeded } from '../seeded.ts';

/** The dimensions of a model. Its weights are random, so its text is nonsense, but its speed and memory are real. */
export interface ModelShape {
  readonly name: string;
  readonly architecture: 'qwen2' | 'qwen3' | 'qwen3moe';
  readonly layers: number;
  readonly width: number;
  readonly feedForward: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headWidth: number;
  readonly experts?: { readonly count: number; readonly used: number };
  readonly trainedTokens: number;
}

/** All of them use plain attention; the hybrid layers of newer families are left out. */
export const largeShapes: readonly ModelShape[] = [
  {
    name: '7B',
    architecture: 'qwen2',
    layers: 28,
    width: 3_584,
    feedForward: 18_944,
    heads: 28,
    kvHeads: 4,
    headWidth: 128,
    trainedTokens: 131_072,
  },
  {
    name: '27B dense',
    architecture: 'qwen3',
    layers: 64,
    width: 5_120,
    feedForward: 20_480,
    heads: 48,
    kvHeads: 8,
    headWidth: 128,
    trainedTokens: 131_072,
  },
  {
    name: '35B-A3B',
    architecture: 'qwen3moe',
    layers: 40,
    width: 2_048,
    feedForward: 512,
    heads: 32,
    kvHeads: 4,
    headWidth: 128,
    experts: { count: 256, used: 8 },
    trainedTokens: 131_072,
  },
];

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** Vectors and routers keep full precision, as with converters; everything else is in blocks of 4 bits. */
  readonly type: 'f32' | 'q4_0';
}

const blockWeights = 32;
const blockBytes = 18;

export function bytesOfShape(shape: ModelShape, vocabulary: number): { readonly all: number; readonly active: number } {
  const sizes = tensorsOf(shape, vocabulary).map((tensor) => ({ name: tensor.name, bytes: bytesOf(tensor) }));
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const { experts } = shape;
  const idle = experts === undefined ? 0 : 1 - experts.used / experts.count;
  const active = sizes.reduce((sum, { name, bytes }) => {
    // Only one row of this table is read for a token.
    if (name === 'token_embd.weight') return sum;
    return sum + (name.includes('_exps') ? bytes * (1 - idle) : bytes);
  }, 0);
  return { all, active };
}

/** Writes the file with the tokenizer of the real model at `tokenizerOf`. An abort leaves only the `.part` file. */
export async function writeShapedModel(
  shape: ModelShape,
  { path, tokenizerOf, signal }: { readonly path: string; readonly tokenizerOf: string; readonly signal: AbortSignal },
): Promise<{ readonly all: number; readonly active: number }> {
  const tokenizer = await readTokenizer(tokenizerOf);
  const tensors = tensorsOf(shape, tokenizer.vocabulary);
  const file = await open(`${path}.part`, 'w');
  try {
    await file.write(headerOf(shape, tensors, tokenizer.keys));
    const blocks = new Map<number, Buffer>();
    for (const tensor of tensors) {
      if (signal.aborted) throw new Error('It was cancelled.');
      const written = tensor.type === 'f32' ? await writeWhole(file, tensor) : await writeBlocks(file, tensor, blocks);
      const rest = (ggufAlignment - (written % ggufAlignment)) % ggufAlignment;
      if (rest > 0) await file.write(Buffer.alloc(rest));
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
  return bytesOfShape(shape, tokenizer.vocabulary);
}

function tensorsOf(
  { architecture, layers, width, feedForward, heads, kvHeads, headWidth, experts }: ModelShape,
  vocabulary: number,
): readonly Tensor[] {
  const own = heads * headWidth;
  const shared = kvHeads * headWidth;
  const vector = (name: string, length: number): Tensor => ({ name, shape: [length], type: 'f32' });
  const matrix = (name: string, ...shape: readonly number[]): Tensor => ({ name, shape, type: 'q4_0' });
  const layer = (index: number): readonly Tensor[] => {
    const at = (name: string): string => `blk.${index}.${name}`;
    const feed =
      experts === undefined
        ? [
            matrix(at('ffn_gate.weight'), width, feedForward),
            matrix(at('ffn_up.weight'), width, feedForward),
            matrix(at('ffn_down.weight'), feedForward, width),
          ]
        : [
            { name: at('ffn_gate_inp.weight'), shape: [width, experts.count], type: 'f32' } as const,
            matrix(at('ffn_gate_exps.weight'), width, feedForward, experts.count),
            matrix(at('ffn_up_exps.weight'), width, feedForward, experts.count),
            matrix(at('ffn_down_exps.weight'), feedForward, width, experts.count),
          ];
    const extra =
      architecture === 'qwen2'
        ? [vector(at('attn_q.bias'), own), vector(at('attn_k.bias'), shared), vector(at('attn_v.bias'), shared)]
        : [vector(at('attn_q_norm.weight'), headWidth), vector(at('attn_k_norm.weight'), headWidth)];
    return [
      vector(at('attn_norm.weight'), width),
      matrix(at('attn_q.weight'), width, own),
      matrix(at('attn_k.weight'), width, shared),
      matrix(at('attn_v.weight'), width, shared),
      matrix(at('attn_output.weight'), own, width),
      ...extra,
      vector(at('ffn_norm.weight'), width),
      ...feed,
    ];
  };
  return [
    matrix('token_embd.weight', width, vocabulary),
    vector('output_norm.weight', width),
    matrix('output.weight', width, vocabulary),
    ...Array.from({ length: layers }, (_, index) => layer(index)).flat(),
  ];
}

function countOf({ shape }: Tensor): number {
  return shape.reduce((product, length) => product * length, 1);
}

function bytesOf(tensor: Tensor): number {
  return tensor.type === 'f32' ? countOf(tensor) * 4 : (countOf(tensor) / blockWeights) * blockBytes;
}

function headerOf(shape: ModelShape, tensors: readonly Tensor[], tokenizer: readonly Buffer[]): Buffer {
  const { architecture, experts } = shape;
  const key = (name: string, value: Buffer): Buffer => Buffer.concat([ggufText(name), value]);
  const text = (value: string): Buffer => Buffer.concat([uint32(8), ggufText(value)]);
  const number = (value: number): Buffer => Buffer.concat([uint32(4), uint32(value)]);
  const numbers: Readonly<Record<string, number>> = {
    block_count: shape.layers,
    context_length: shape.trainedTokens,
    embedding_length: shape.width,
    feed_forward_length: shape.feedForward,
    'attention.head_count': shape.heads,
    'attention.head_count_kv': shape.kvHeads,
    'attention.key_length': shape.headWidth,
    'attention.value_length': shape.headWidth,
    ...(experts === undefined
      ? {}
      : {
          expert_count: experts.count,
          expert_used_count: experts.used,
          expert_feed_forward_length: shape.feedForward,
        }),
  };
  const keys = [
    key('general.architecture', text(architecture)),
    key('general.name', text(`made: ${shape.name}`)),
    ...Object.entries(numbers).map(([name, value]) => key(`${architecture}.${name}`, number(value))),
    key(`${architecture}.attention.layer_norm_rms_epsilon`, Buffer.concat([uint32(6), float32(1e-6)])),
    ...tokenizer,
  ];
  let offset = 0;
  const list = tensors.map((tensor) => {
    const { name, shape: lengths, type } = tensor;
    const entry = [
      ggufText(name),
      uint32(lengths.length),
      ...lengths.map(uint64),
      uint32(type === 'f32' ? 0 : 2),
      uint64(offset),
    ];
    offset += Math.ceil(bytesOf(tensor) / ggufAlignment) * ggufAlignment;
    return Buffer.concat(entry);
  });
  return ggufHeader(keys, list);
}

async function writeWhole(file: FileHandle, tensor: Tensor): Promise<number> {
  const random = seeded(countOf(tensor));
  const isNorm = tensor.name.includes('norm');
  const values = Float32Array.from({ length: countOf(tensor) }, () => (isNorm ? 1 : (random() - 0.5) * 0.1));
  await file.write(Buffer.from(values.buffer));
  return values.byteLength;
}

const piece = 65_536 * blockBytes;

/** Repeats the same 1.2 MB of noise, each time from another place. Its scale keeps sums at about 1. */
async function writeBlocks(file: FileHandle, tensor: Tensor, made: Map<number, Buffer>): Promise<number> {
  const rows = tensor.shape[0] ?? 1;
  const noise = made.get(rows) ?? noiseOf(rows);
  made.set(rows, noise);
  const bytes = bytesOf(tensor);
  let done = 0;
  for (let turn = 0; done < bytes; turn += 1) {
    const from = ((turn * 7_919) % 65_536) * blockBytes;
    const part = noise.subarray(from, from + Math.min(noise.length - from, bytes - done));
    await file.write(part);
    done += part.length;
  }
  return bytes;
}

function noiseOf(rows: number): Buffer {
  const random = seeded(rows);
  const noise = Buffer.alloc(piece);
  const scale = halfOf(1 / (4.6 * Math.sqrt(rows)));
  for (let at = 0; at < piece; at += blockBytes) {
    noise.writeUInt16LE(scale, at);
    for (let index = 2; index < blockBytes; index += 1) noise[at + index] = Math.floor(random() * 256);
  }
  return noise;
}

/** A positive number below 1 in half precision. */
function halfOf(value: number): number {
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) | Math.floor((value / 2 ** exponent - 1) * 1_024);
}

interface Tokenizer {
  /** Entries of the header as they lie in the file. */
  readonly keys: readonly Buffer[];
  readonly vocabulary: number;
}

/** Returns every entry of the header that begins with `tokenizer.`. */
async function readTokenizer(path: string): Promise<Tokenizer> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(64 * 1024 * 1024);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const bytes = head.subarray(0, bytesRead);
    let at = 24;
    const long = (place: number): number => Number(bytes.readBigUInt64LE(place));
    const skip = (type: number, place: number): number => {
      if (type === 8) return place + 8 + long(place);
      if (type !== 9) return place + (scalarBytes[type] ?? 0);
      const inner = bytes.readUInt32LE(place);
      let next = place + 12;
      for (let index = long(place + 4); index > 0; index -= 1) next = skip(inner, next);
      return next;
    };
    const keys: Buffer[] = [];
    let vocabulary = 0;
    for (let left = long(16); left > 0; left -= 1) {
      const start = at;
      const name = bytes.toString('utf8', at + 8, at + 8 + long(at));
      at += 8 + long(at);
      const type = bytes.readUInt32LE(at);
      if (name === 'tokenizer.ggml.tokens') vocabulary = long(at + 8);
      at = skip(type, at + 4);
      if (name.startsWith('tokenizer.')) keys.push(Buffer.from(bytes.subarray(start, at)));
    }
    return { keys, vocabulary };
  } finally {
    await file.close();
  }
}
