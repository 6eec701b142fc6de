import { truncate, writeFile } from 'node:fs/promises';
import type { GgufKeys } from '../../src/main/models/memory/gguf/gguf-keys.ts';
import type { EngineDryRuns } from './engine-dry-runs.ts';
import { float32, ggufAlignment, ggufHeader, ggufText, uint32, uint64 } from './gguf-bytes.ts';

interface Model {
  readonly keys: GgufKeys;
  readonly tiedEmbeddings: boolean | null;
}

type Shape = readonly number[];

/**
 * Keys that the engine needs in every header. The catalog leaves them out, because no byte of memory depends on them.
 */
const asked: Readonly<Record<string, number>> = {
  'attention.layer_norm_rms_epsilon': 1e-6,
  'attention.layer_norm_epsilon': 1e-5,
  context_length: 8192,
};

/**
 * Writes a header with a model's keys and the tensors that the engine asks for. When a load without memory fails, it
 * names the missing tensor, its shape, or a key that must be a fraction. The file is as long as it would be with
 * weights, but holds none.
 */
export async function writeMadeHeader(model: Model, path: string, engine: EngineDryRuns): Promise<void> {
  const keys = new Map<string, unknown>(Object.entries({ ...model.keys, 'tokenizer.ggml.model': 'no_vocab' }));
  const fractions = new Set<string>();
  const tensors = new Map(optionalTensors(model));
  /** By the tensor's name without its layer. */
  const shapes = new Map<string, Shape>();
  for (;;) {
    await writeHeader(path, { keys, fractions, tensors });
    const said = await engine.load(path);
    if (said === null) return;
    const missing = /tensor '([^']+)' not found/u.exec(said)?.[1];
    const [, name, shape] = /tensor '([^']+)' has wrong shape; expected ([0-9, ]+), got/u.exec(said) ?? [];
    const fraction = /key (\S+) has wrong type u32 but expected type f32/u.exec(said)?.[1];
    const key = /key not found in model: \S+?\.(\S+)/u.exec(said)?.[1];
    if (missing !== undefined && !tensors.has(missing)) tensors.set(missing, shapes.get(plain(missing)) ?? [1]);
    else if (name !== undefined && shape !== undefined) {
      const found = shape.split(',').map(Number);
      shapes.set(plain(name), found);
      tensors.set(name, found);
    } else if (fraction !== undefined && !fractions.has(fraction)) fractions.add(fraction);
    else if (key !== undefined && asked[key] !== undefined)
      keys.set(`${String(model.keys['general.architecture'])}.${key}`, asked[key]);
    else throw new Error(`no header could be made: ${said}`);
  }
}

function plain(name: string): string {
  return name.replace(/^blk\.\d+\./u, 'blk.N.');
}

/** Tensors that the engine can do without: it then asks for others. Files of these families have them. */
function optionalTensors({ keys, tiedEmbeddings }: Model): readonly (readonly [string, Shape])[] {
  const architecture = String(keys['general.architecture']);
  const size = (name: string): number => Number(keys[`${architecture}.${name}`] ?? 0);
  const width = size('embedding_length');
  const drafting = size('nextn_predict_layers');
  const layers = Array.from({ length: size('block_count') - drafting }, (_, layer) => layer);
  const tensor = (layer: number, name: string, columns: number) =>
    [`blk.${layer}.${name}.weight`, [width, columns]] as const;
  const recurrent = size('full_attention_interval') > 0 && size('ssm.inner_size') > 0;
  const inner = size('ssm.inner_size');
  return [
    ...(tiedEmbeddings === false ? [['output.weight', [width, size('vocab_size')]] as const] : []),
    ...(drafting > 0 ? [['blk.0.attn_norm.weight', [width]] as const] : []),
    ...layers
      .filter((layer) => recurrent && (layer + 1) % size('full_attention_interval') !== 0)
      .flatMap((layer) => [
        tensor(layer, 'attn_qkv', 2 * size('ssm.group_count') * size('ssm.state_size') + inner),
        tensor(layer, 'attn_gate', inner),
      ]),
    ...layers
      .filter(() => architecture === 'phi3')
      .map((layer) => {
        const grouped = (width / size('attention.head_count')) * size('attention.head_count_kv');
        return tensor(layer, 'attn_qkv', width + 2 * grouped);
      }),
  ];
}

interface Header {
  readonly keys: ReadonlyMap<string, unknown>;
  readonly fractions: ReadonlySet<string>;
  readonly tensors: ReadonlyMap<string, Shape>;
}

async function writeHeader(path: string, { keys, fractions, tensors }: Header): Promise<void> {
  let offset = 0;
  const list = [...tensors].map(([name, shape]) => {
    // As converters do: norms, routers and vectors in full precision, weights in half precision.
    const isWhole = shape.length < 2 || /norm|ssm_conv|ffn_gate_inp/u.test(name);
    const entry = Buffer.concat([
      ggufText(name),
      uint32(shape.length),
      ...shape.map(uint64),
      uint32(isWhole ? 0 : 1),
      uint64(offset),
    ]);
    const bytes = shape.reduce((product, length) => product * length, isWhole ? 4 : 2);
    offset += Math.ceil(bytes / ggufAlignment) * ggufAlignment;
    return entry;
  });
  const entries = [...keys].map(([key, value]) => Buffer.concat([ggufText(key), typed(value, fractions.has(key))]));
  const header = ggufHeader(entries, list);
  await writeFile(path, header);
  await truncate(path, header.length + offset);
}

function typed(value: unknown, isFraction: boolean): Buffer {
  if (typeof value === 'string') return Buffer.concat([uint32(8), ggufText(value)]);
  if (typeof value === 'boolean') return Buffer.concat([uint32(7), Buffer.from([Number(value)])]);
  if (Array.isArray(value)) {
    const isFlags = typeof value[0] === 'boolean';
    const entries = value.map((one) => (isFlags ? Buffer.from([Number(one)]) : uint32(Number(one))));
    return Buffer.concat([uint32(9), uint32(isFlags ? 7 : 4), uint64(value.length), ...entries]);
  }
  const number = Number(value);
  return isFraction || !Number.isInteger(number)
    ? Buffer.concat([uint32(6), float32(number)])
    : Buffer.concat([uint32(4), uint32(number)]);
}
