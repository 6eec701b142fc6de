import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { AppError, failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';

/** What a model file says about itself. */
export interface GgufHeader {
  readonly version: number;
  readonly architecture: string;
  readonly name: string | null;
  /** The length it was trained for. */
  readonly contextTokens: number | null;
  readonly sizeLabel: string | null;
  readonly chatTemplate: string | null;
  readonly tensorCount: number;
  /** What the file must have for every tensor to be whole. */
  readonly neededBytes: number;
  readonly fileBytes: number;
}

/**
 * Reads and checks the header of a GGUF file: its kind, its version, and that no tensor lies beyond its end.
 * The weights are not read. Failures say what to do: `not-found`, or `bad-input` for a file that is none or is cut short.
 */
export async function readGguf(path: string): Promise<Reply<GgufHeader>> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return failure('not-found', `There is no model file at ${path}.`, 'Fetch it again with `dewpoint models pull`.');
  }
  try {
    const { size } = await file.stat();
    return success(await readHeader(createReader(file, size)));
  } catch (error) {
    if (error instanceof AppError) return failure(error.code, `${path}: ${error.message}`, error.hint);
    return failure(
      'bad-input',
      `${path} cannot be read as a model file.`,
      'Fetch it again with `dewpoint models pull`.',
    );
  } finally {
    await file.close();
  }
}

/** Sizes by type number: [values in a block, bytes of a block]. A type that is not here is not checked for its length. */
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

const tooLong = 1 << 28;

async function readHeader(reader: Reader): Promise<GgufHeader> {
  if ((await reader.bytes(4)).toString('latin1') !== 'GGUF') {
    throw new AppError('bad-input', 'this is not a model file (GGUF).', {
      hint: 'Give a .gguf file, or fetch one with `dewpoint models pull`.',
    });
  }
  const version = await reader.u32();
  if (version < 2 || version > 3)
    throw new AppError('bad-input', `the file has GGUF version ${version}; 2 and 3 can be read.`);
  const tensorCount = await reader.u64();
  const keyCount = await reader.u64();
  const keys = new Map<string, unknown>();
  for (let index = 0; index < keyCount; index += 1) {
    const key = await reader.text();
    keys.set(key, await readValue(reader, await reader.u32()));
  }
  const neededBytes = await neededLength(reader, tensorCount, numberOf(keys.get('general.alignment')) ?? 32);
  if (neededBytes > reader.size) throw cutShort(neededBytes, reader.size);
  const architecture = textOf(keys.get('general.architecture'));
  if (architecture === null) throw new AppError('bad-input', 'the file does not say what kind of model it is.');
  return {
    version,
    architecture,
    name: textOf(keys.get('general.name')),
    contextTokens: numberOf(keys.get(`${architecture}.context_length`)),
    sizeLabel: textOf(keys.get('general.size_label')),
    chatTemplate: textOf(keys.get('tokenizer.chat_template')),
    tensorCount,
    neededBytes,
    fileBytes: reader.size,
  };
}

/** Where the last tensor ends, counted from the beginning of the file. */
async function neededLength(reader: Reader, tensorCount: number, alignment: number): Promise<number> {
  let end = 0;
  for (let index = 0; index < tensorCount; index += 1) {
    await reader.text();
    const dimensions = await reader.u32();
    let values = 1;
    for (let dimension = 0; dimension < dimensions; dimension += 1) values *= await reader.u64();
    const block = blockSizes[await reader.u32()];
    const offset = await reader.u64();
    const bytes = block === undefined ? 0 : (values / block[0]) * block[1];
    end = Math.max(end, offset + bytes);
  }
  const dataStart = Math.ceil(reader.position / alignment) * alignment;
  return dataStart + end;
}

async function readValue(reader: Reader, type: number): Promise<unknown> {
  switch (type) {
    case 0:
    case 1:
    case 7:
      return (await reader.bytes(1)).readUInt8();
    case 2:
    case 3:
      return (await reader.bytes(2)).readUInt16LE();
    case 4:
      return reader.u32();
    case 5:
      return (await reader.bytes(4)).readInt32LE();
    case 6:
      return (await reader.bytes(4)).readFloatLE();
    case 8:
      return reader.text();
    case 9:
      return skipArray(reader);
    case 10:
    case 11:
      return reader.u64();
    case 12:
      return (await reader.bytes(8)).readDoubleLE();
    default:
      throw new AppError('bad-input', `its header is damaged (a value of type ${type}).`);
  }
}

const fixedSizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  7: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  10: 8,
  11: 8,
  12: 8,
};

/** Arrays (vocabularies) are long and not needed. */
async function skipArray(reader: Reader): Promise<null> {
  const type = await reader.u32();
  const count = await reader.u64();
  const fixed = fixedSizes[type];
  if (fixed !== undefined) reader.skip(fixed * count);
  else for (let index = 0; index < count; index += 1) await readValue(reader, type);
  return null;
}

interface Reader {
  readonly size: number;
  readonly position: number;
  bytes(count: number): Promise<Buffer>;
  skip(count: number): void;
  u32(): Promise<number>;
  u64(): Promise<number>;
  text(): Promise<string>;
}

function createReader(file: FileHandle, size: number): Reader {
  let position = 0;
  let chunk = Buffer.alloc(0);
  let chunkStart = 0;
  const bytes = async (count: number): Promise<Buffer> => {
    if (position + count > size) throw cutShort(position + count, size);
    if (position < chunkStart || position + count > chunkStart + chunk.length) {
      const buffer = Buffer.alloc(Math.max(count, 1 << 20));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      chunk = buffer.subarray(0, bytesRead);
      chunkStart = position;
      if (bytesRead < count) throw cutShort(position + count, size);
    }
    const start = position - chunkStart;
    position += count;
    return chunk.subarray(start, start + count);
  };
  const u64 = async (): Promise<number> => Number((await bytes(8)).readBigUInt64LE());
  return {
    size,
    get position() {
      return position;
    },
    bytes,
    skip(count) {
      position += count;
      if (position > size) throw cutShort(position, size);
    },
    u32: async () => (await bytes(4)).readUInt32LE(),
    u64,
    async text() {
      const length = await u64();
      if (length > tooLong) throw new AppError('bad-input', 'its header is damaged (a text without an end).');
      return (await bytes(length)).toString('utf8');
    },
  };
}

function cutShort(needed: number, size: number): AppError {
  return new AppError('bad-input', `the file is cut short: it has ${size} bytes of at least ${needed}.`, {
    hint: 'Remove it and fetch it again with `dewpoint models pull`.',
  });
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
