import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { AppError, failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { createGgufParse, ggufLimits } from './gguf-parse.ts';
import { numberOf } from './model-keys.ts';
import type { ModelFacts } from './model-memory.ts';

/** What a model file says about itself. */
export interface GgufHeader {
  readonly version: number;
  readonly architecture: string;
  readonly name: string | null;
  /** The length it was trained for. */
  readonly contextTokens: number | null;
  readonly sizeLabel: string | null;
  readonly license: string | null;
  readonly chatTemplate: string | null;
  readonly tensorCount: number;
  /** What the file must have for every tensor to be whole. */
  readonly neededBytes: number;
  readonly fileBytes: number;
  /** What its memory is computed from. */
  readonly facts: ModelFacts;
}

/**
 * Reads and checks the header of a GGUF file: its kind, its version, and that no tensor lies beyond its end.
 * The weights are not read, and of a header never more than `ggufLimits` allow.
 * Failures say what to do: `not-found`, or `bad-input` for a file that is none, is cut short or is damaged.
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
    return success(await readHeader(file, size));
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

/** Enough for nearly every header with its vocabulary, so that it is parsed once; else four times as much. */
const firstBytes = 12 * 1024 * 1024;

async function readHeader(file: FileHandle, size: number): Promise<GgufHeader> {
  const parse = createGgufParse();
  let bytes = Buffer.alloc(0);
  let upTo = firstBytes;
  for (;;) {
    bytes = await readTo(file, bytes, Math.min(upTo, size));
    const needed = parse.push(bytes);
    if (needed === null) break;
    if (needed > size) throw cutShort(needed, size);
    upTo = Math.min(Math.max(needed, bytes.length * 4), ggufLimits.headerBytes);
  }
  const { version, tensorCount, keys, vocabulary, weights, dataEnd } = parse.result();
  if (dataEnd > size) throw cutShort(dataEnd, size);
  const architecture = textOf(keys['general.architecture']);
  if (architecture === null) throw new AppError('bad-input', 'the file does not say what kind of model it is.');
  return {
    version,
    architecture,
    name: textOf(keys['general.name']),
    contextTokens: numberOf(keys[`${architecture}.context_length`]),
    sizeLabel: textOf(keys['general.size_label']),
    license: textOf(keys['general.license']),
    chatTemplate: textOf(keys['tokenizer.chat_template']),
    tensorCount,
    neededBytes: dataEnd,
    fileBytes: size,
    facts: { keys, vocabulary, weights },
  };
}

/** The beginning of the file, as far as `upTo`; what is there already is not read again. */
async function readTo(file: FileHandle, known: Buffer, upTo: number): Promise<Buffer<ArrayBuffer>> {
  // Not zeroed: all of it is filled below, or this throws.
  const bytes = Buffer.allocUnsafe(upTo);
  known.copy(bytes);
  let filled = known.length;
  while (filled < upTo) {
    const { bytesRead } = await file.read(bytes, filled, upTo - filled, filled);
    if (bytesRead === 0) throw cutShort(upTo, filled);
    filled += bytesRead;
  }
  return bytes;
}

function cutShort(needed: number, size: number): AppError {
  return new AppError('bad-input', `the file is cut short: it has ${size} bytes of at least ${needed}.`, {
    hint: 'Remove it and fetch it again with `dewpoint models pull`.',
  });
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
