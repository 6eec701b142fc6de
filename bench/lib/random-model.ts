import { writeFile } from 'node:fs/promises';
import { readGgufFileInfo } from 'node-llama-cpp';
import { float32, ggufHeader, ggufText, uint32, uint64 } from './gguf-bytes.ts';
import { seeded } from './seeded.ts';

const words = 4_096;
const width = 32;

/**
 * A model with random weights, a few hundred KB. It writes nonsense, which shows what a grammar lets through. Its
 * tokenizer is the first 4,096 words of a real one, because the time of a token under a grammar grows with the
 * vocabulary.
 */
export async function writeRandomModel(path: string, tokenizerOf: string): Promise<void> {
  const { metadata } = await readGgufFileInfo(tokenizerOf);
  const { tokens, token_type: types, merges } = metadata.tokenizer.ggml;
  if (merges === undefined || types === undefined) throw new Error(`${tokenizerOf} has no tokenizer of merges`);
  const kept = tokens.slice(0, words);
  const known = new Set(kept);
  const keptMerges = merges.filter((merge) => known.has(merge.replace(' ', '')));
  const keys: readonly Buffer[] = [
    pair('general.architecture', text('llama')),
    ...Object.entries({
      block_count: 1,
      context_length: 4_096,
      embedding_length: width,
      feed_forward_length: 2 * width,
      'attention.head_count': 1,
      'attention.head_count_kv': 1,
      vocab_size: words,
    }).map(([name, value]) => pair(`llama.${name}`, uint(value))),
    pair('llama.attention.layer_norm_rms_epsilon', float(1e-5)),
    pair('tokenizer.ggml.model', text('gpt2')),
    pair('tokenizer.ggml.pre', text('smollm')),
    pair('tokenizer.ggml.tokens', array(8, kept.map(ggufText))),
    pair(
      'tokenizer.ggml.token_type',
      array(
        5,
        types.slice(0, words).map((type) => uint32(type)),
      ),
    ),
    pair('tokenizer.ggml.merges', array(8, keptMerges.map(ggufText))),
    pair('tokenizer.ggml.bos_token_id', uint(1)),
    pair('tokenizer.ggml.eos_token_id', uint(2)),
    pair('tokenizer.chat_template', text(template)),
  ];
  await writeFile(path, modelBytes(keys, tensors));
}

const template =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

interface MadeTensor {
  readonly name: string;
  readonly shape: readonly number[];
}

const tensors: readonly MadeTensor[] = [
  { name: 'token_embd.weight', shape: [width, words] },
  { name: 'output_norm.weight', shape: [width] },
  ...['attn_norm', 'ffn_norm'].map((name) => ({ name: `blk.0.${name}.weight`, shape: [width] })),
  ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => ({
    name: `blk.0.${name}.weight`,
    shape: [width, width],
  })),
  ...['ffn_gate', 'ffn_up'].map((name) => ({ name: `blk.0.${name}.weight`, shape: [width, 2 * width] })),
  { name: 'blk.0.ffn_down.weight', shape: [2 * width, width] },
];

/** A whole file whose weights come from one seed. */
export function modelBytes(keys: readonly Buffer[], tensors: readonly MadeTensor[]): Buffer {
  const random = seeded(7);
  let offset = 0;
  const data: Buffer[] = [];
  const list = tensors.map(({ name, shape }) => {
    const count = shape.reduce((product, length) => product * length, 1);
    const values = Float32Array.from({ length: count }, () => (random() - 0.5) * 0.5);
    const bytes = Buffer.from(values.buffer);
    const entry = Buffer.concat([
      ggufText(name),
      uint32(shape.length),
      ...shape.map(uint64),
      uint32(0),
      uint64(offset),
    ]);
    offset += bytes.length;
    data.push(bytes);
    return entry;
  });
  return Buffer.concat([ggufHeader(keys, list), ...data]);
}

/** A key of a file with its value. */
export function pair(key: string, value: Buffer): Buffer {
  return Buffer.concat([ggufText(key), value]);
}

export const text = (value: string): Buffer => Buffer.concat([uint32(8), ggufText(value)]);
export const uint = (value: number): Buffer => Buffer.concat([uint32(4), uint32(value)]);

export function float(value: number): Buffer {
  return Buffer.concat([uint32(6), float32(value)]);
}

export function array(type: number, entries: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(9), uint32(type), uint64(entries.length), ...entries]);
}
