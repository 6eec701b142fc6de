import { AppError } from '@shared/errors.ts';
import type { GgufKeys } from './gguf-keys.ts';
import type { ModelFacts, ModelWeights } from '../estimate/model-memory.ts';
import { sizeText } from '@shared/text/size-text.ts';

/** Parses a header while its bytes arrive. */
export interface GgufParse {
  /**
   * Takes the file's beginning, always from byte 0. Null when the header is complete, else the least number of bytes
   * that it needs.
   */
  push(bytes: Buffer): number | null;
  /** Call it only when the header is complete. */
  result(): ParsedGguf;
}

export interface ParsedGguf {
  readonly version: number;
  readonly tensorCount: number;
  /** Scalars, texts and short arrays. Long arrays (vocabularies) are left out. */
  readonly keys: GgufKeys;
  /** The number of tokens in the vocabulary. Null: there is none. */
  readonly vocabulary: number | null;
  /** Where the weights begin and end in the file. */
  readonly dataStart: number;
  readonly dataEnd: number;
  /** The tensors in this file. */
  readonly tensors: readonly Tensor[];
}

/**
 * Limits for a header. Real ones have under 100 keys, some thousand tensors and up to about 30 MB, nearly all of it
 * vocabulary. A header far beyond that is damaged or malicious, and is refused before its bytes are read.
 */
export const ggufLimits = {
  headerBytes: 256 * 1024 * 1024,
  keys: 16_384,
  tensors: 262_144,
  nameBytes: 65_535,
  textBytes: 16 * 1024 * 1024,
  dimensions: 4,
  /** Arrays up to this length are kept as values. */
  keptEntries: 2_048,
} as const;

/**
 * Parses as far as the bytes reach, and continues after the last complete entry. Throws `AppError` if the bytes are
 * not a header.
 */
export function createGgufParse(): GgufParse {
  const state: State = {
    stage: 'start',
    position: 0,
    version: 0,
    tensorCount: 0,
    keyCount: 0,
    keys: {},
    read: 0,
    vocabulary: null,
  };
  const tensors: Tensor[] = [];
  return {
    push(bytes) {
      const cursor: Cursor = { bytes, position: state.position };
      try {
        advance(state, tensors, cursor);
        return null;
      } catch (error) {
        if (!(error instanceof NeedsMore)) throw error;
        if (error.upTo > ggufLimits.headerBytes)
          throw damaged(`a header of more than ${sizeText(ggufLimits.headerBytes)}`);
        return error.upTo;
      }
    },
    result() {
      const alignment = state.keys['general.alignment'];
      const step = typeof alignment === 'number' && alignment > 0 && alignment <= 65_536 ? alignment : 32;
      const dataStart = Math.ceil(state.position / step) * step;
      const dataEnd =
        dataStart + tensors.reduce((end, tensor) => Math.max(end, tensor.offset + (tensor.bytes ?? 0)), 0);
      const { version, tensorCount, keys, vocabulary } = state;
      return { version, tensorCount, keys, vocabulary, dataStart, dataEnd, tensors };
    },
  };
}

interface State {
  stage: 'start' | 'keys' | 'tensors' | 'done';
  position: number;
  version: number;
  tensorCount: number;
  keyCount: number;
  keys: Record<string, unknown>;
  /** How many keys, and then tensors, were read completely. */
  read: number;
  vocabulary: number | null;
}

export interface Tensor {
  readonly name: string;
  /** Its dimensions, innermost first. */
  readonly shape: readonly number[];
  readonly offset: number;
  /** Null for a type that is not known here. */
  readonly bytes: number | null;
  readonly isCopied: boolean;
}

interface Cursor {
  readonly bytes: Buffer;
  position: number;
}

class NeedsMore extends Error {
  readonly upTo: number;

  constructor(upTo: number) {
    super('more bytes are needed');
    this.upTo = upTo;
  }
}

function advance(state: State, tensors: Tensor[], cursor: Cursor): void {
  if (state.stage === 'start') {
    readStart(state, cursor);
    state.stage = 'keys';
    state.position = cursor.position;
  }
  while (state.stage === 'keys') {
    if (state.read === state.keyCount) {
      state.stage = 'tensors';
      state.read = 0;
      break;
    }
    const name = readText(cursor, ggufLimits.nameBytes);
    const { value, length } = readValue(cursor, u32(cursor), 0);
    // Assigning `__proto__` would change the prototype instead of adding a key.
    if (value !== undefined && name !== '__proto__') state.keys[name] = value;
    if (name === 'tokenizer.ggml.tokens') state.vocabulary = length;
    state.position = cursor.position;
    state.read += 1;
  }
  while (state.stage === 'tensors') {
    if (state.read === state.tensorCount) {
      state.stage = 'done';
      break;
    }
    tensors.push(readTensor(cursor));
    state.position = cursor.position;
    state.read += 1;
  }
}

function readStart(state: State, cursor: Cursor): void {
  const magic = take(cursor, 4).toString('latin1');
  if (magic !== 'GGUF') {
    throw new AppError('bad-input', 'this is not a model file (GGUF).', {
      hint: 'Use a .gguf file, or download one with `dewpoint models pull`.',
    });
  }
  state.version = u32(cursor);
  if (state.version > 0xffff) throw new AppError('bad-input', 'the file is for machines of the other byte order.');
  if (state.version > 3) {
    throw new AppError('bad-input', `the file has GGUF version ${state.version}; up to 3 can be read.`, {
      hint: 'A newer Dewpoint may read it.',
    });
  }
  if (state.version < 2)
    throw new AppError('bad-input', `the file has GGUF version ${state.version}; 2 and 3 can be read.`);
  state.tensorCount = u64(cursor);
  state.keyCount = u64(cursor);
  if (state.tensorCount > ggufLimits.tensors) throw damaged(`${state.tensorCount} tensors`);
  if (state.keyCount > ggufLimits.keys) throw damaged(`${state.keyCount} keys`);
}

function readTensor(cursor: Cursor): Tensor {
  const name = readText(cursor, ggufLimits.nameBytes);
  const dimensions = u32(cursor);
  if (dimensions > ggufLimits.dimensions) throw damaged(`a tensor of ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => u64(cursor));
  const values = shape.reduce((product, length) => product * length, 1);
  if (!Number.isSafeInteger(values)) throw damaged('a tensor without end');
  const type = u32(cursor);
  const offset = u64(cursor);
  return { name, shape, offset, bytes: tensorBytes(type, values), isCopied: isCopied(name, type, shape[1] ?? 1) };
}

/** The bytes of a tensor by its type number. Null for a type that is not known here. */
export function tensorBytes(type: number, values: number): number | null {
  const block = blockSizes[type];
  return block === undefined ? null : (values / block[0]) * block[1];
}

/** `value` is undefined if it is not kept. `length` is that of an array. */
function readValue(cursor: Cursor, type: number, depth: number): { readonly value: unknown; readonly length: number } {
  if (type === 9) return readArray(cursor, depth);
  return { value: type === 8 ? readText(cursor, ggufLimits.textBytes) : readScalar(cursor, type), length: 0 };
}

function readArray(cursor: Cursor, depth: number): { readonly value: unknown; readonly length: number } {
  const type = u32(cursor);
  const length = u64(cursor);
  if (depth > 1) throw damaged('arrays within arrays');
  const size = scalarBytes[type];
  const isKept = length <= ggufLimits.keptEntries;
  if (size !== undefined && !isKept) {
    need(cursor, size * length);
    cursor.position += size * length;
    return { value: undefined, length };
  }
  // An entry has at least one byte, so a larger count is refused before anything is read.
  if (length > ggufLimits.headerBytes) throw damaged(`an array of ${length} entries`);
  if (type === 8 && !isKept) {
    skipTexts(cursor, length);
    return { value: undefined, length };
  }
  const entries: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    const { value } = readValue(cursor, type, depth + 1);
    if (isKept) entries.push(value);
  }
  return { value: isKept ? entries : undefined, length };
}

/** Bytes by type number of the format. A file with another type counts as damaged, because it cannot be skipped. */
export const scalarBytes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

function readScalar(cursor: Cursor, type: number): number | boolean {
  const size = scalarBytes[type];
  if (size === undefined) throw damaged(`a value of type ${type}`);
  const bytes = take(cursor, size);
  switch (type) {
    case 0:
      return bytes.readUInt8();
    case 1:
      return bytes.readInt8();
    case 2:
      return bytes.readUInt16LE();
    case 3:
      return bytes.readInt16LE();
    case 4:
      return bytes.readUInt32LE();
    case 5:
      return bytes.readInt32LE();
    case 6:
      return bytes.readFloatLE();
    case 7:
      return bytes.readUInt8() !== 0;
    case 10:
      return Number(bytes.readBigUInt64LE());
    case 11:
      return Number(bytes.readBigInt64LE());
    default:
      return bytes.readDoubleLE();
  }
}

function readText(cursor: Cursor, most: number): string {
  const length = u64(cursor);
  if (length > most) throw damaged(`a text of ${length} bytes`);
  return take(cursor, length).toString('utf8');
}

/** Skips a vocabulary: some hundred thousand short texts, each after its length. */
function skipTexts(cursor: Cursor, count: number): void {
  const { bytes } = cursor;
  let { position } = cursor;
  for (let index = 0; index < count; index += 1) {
    if (position + 8 > bytes.length) throw new NeedsMore(position + 8 * (count - index));
    const length = bytes.readUInt32LE(position);
    if (length > ggufLimits.textBytes || bytes.readUInt32LE(position + 4) !== 0) throw damaged('a text without end');
    position += 8 + length;
  }
  if (position > bytes.length) throw new NeedsMore(position);
  cursor.position = position;
}

function take(cursor: Cursor, count: number): Buffer {
  need(cursor, count);
  cursor.position += count;
  return cursor.bytes.subarray(cursor.position - count, cursor.position);
}

function need(cursor: Cursor, count: number): void {
  if (cursor.position + count > cursor.bytes.length) throw new NeedsMore(cursor.position + count);
}

function u32(cursor: Cursor): number {
  need(cursor, 4);
  cursor.position += 4;
  return cursor.bytes.readUInt32LE(cursor.position - 4);
}

function u64(cursor: Cursor): number {
  need(cursor, 8);
  const { bytes, position } = cursor;
  cursor.position += 8;
  const value = bytes.readUInt32LE(position) + bytes.readUInt32LE(position + 4) * 2 ** 32;
  if (!Number.isSafeInteger(value)) throw damaged('a length without end');
  return value;
}

/** Combines the files of a model. The first one has the keys and the vocabulary, and each has tensors. */
export function factsOf(first: ParsedGguf, others: readonly ParsedGguf[]): ModelFacts {
  const { keys, vocabulary } = first;
  return { keys, vocabulary, weights: weightsOf([first, ...others].flatMap(({ tensors }) => tensors)) };
}

/** The sizes of a model's weights, from its list of tensors. Null if a tensor's size is unknown. */
export function weightsOf(
  tensors: readonly { readonly name: string; readonly bytes: number | null; readonly isCopied?: boolean }[],
): ModelWeights | null {
  const layers: { bytes: number; expertBytes: number }[] = [];
  let totalBytes = 0;
  let inputBytes = 0;
  let hasOutput = false;
  let copiedBytes = 0;
  let largestBytes = 0;
  for (const { name, bytes, isCopied: isCopiedToo } of tensors) {
    if (bytes === null) return null;
    totalBytes += bytes;
    if (isCopiedToo === true) copiedBytes += bytes;
    // Both are only looked up, and stay on the host (`llama_model_base::load_tensors`: the input layer).
    if (name === 'token_embd.weight' || name === 'per_layer_token_embd.weight') inputBytes += bytes;
    if (name === 'output.weight') hasOutput = true;
    const index = Number(/^blk\.(\d{1,4})\./.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(index)) continue;
    while (layers.length <= index) layers.push({ bytes: 0, expertBytes: 0 });
    const layer = layers[index];
    if (layer === undefined) continue;
    layer.bytes += bytes;
    largestBytes = Math.max(largestBytes, bytes);
    if (name.includes('_exps.')) layer.expertBytes += bytes;
  }
  const sums = { totalBytes, inputBytes, isTied: !hasOutput };
  return {
    ...sums,
    ...(layers.length === 0 ? { layers: null } : { layers, largestBytes }),
    ...(copiedBytes === 0 ? {} : { copiedBytes }),
  };
}

/**
 * Q4_0, Q4_K, IQ4_NL and MXFP4 are copied with eight rows in one (`ggml_repack_get_optimal_repack_type` with AVX2).
 * Other processors copy other types: the bytes are an estimate there, and no total holds them.
 */
function isCopied(name: string, type: number, rows: number): boolean {
  return [2, 12, 20, 39].includes(type) && rows % 8 === 0 && name !== 'token_embd.weight';
}

/** Sizes by type number: [values in a block, bytes of a block] (ggml `type_traits`). */
const blockSizes: Readonly<Record<number, readonly [number, number]>> = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  9: [32, 36],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66],
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1],
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8],
  29: [256, 56],
  30: [1, 2],
  34: [256, 54],
  35: [256, 66],
  39: [32, 17],
};

function damaged(what: string): AppError {
  return new AppError('bad-input', `its header is damaged (${what}).`, {
    hint: 'Remove it and download it again with `dewpoint models pull`.',
  });
}
