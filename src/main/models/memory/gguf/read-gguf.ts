import type { TextUse } from '@shared/models/model-info.ts';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { AppError, success, toFailure } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { createGgufParse, factsOf, ggufLimits } from './parse-gguf.ts';
import type { ParsedGguf } from './parse-gguf.ts';
import { numberOf } from './gguf-keys.ts';
import type { ModelFacts } from '../estimate/model-memory.ts';
import { filesOf, partNameOf, partPaths } from '../../files/split-model-files.ts';

/** What the header of a model file says. */
export interface GgufHeader {
  readonly version: number;
  readonly architecture: string;
  readonly name: string | null;
  /** The context size that it was trained for, in tokens. */
  readonly contextTokens: number | null;
  readonly sizeLabel: string | null;
  readonly license: string | null;
  readonly chatTemplate: string | null;
  /** Set if it makes vectors of texts, or scores for them. Null: it answers. */
  readonly use: TextUse | null;
  readonly tensorCount: number;
  /** The size that the files need for all tensors to be complete, and their real size. */
  readonly neededBytes: number;
  readonly fileBytes: number;
  /** Most models have one file. For several, loaders name the first. */
  readonly files: readonly string[];
  /** The facts for computing its memory. */
  readonly facts: ModelFacts;
}

/**
 * Reads and checks the header of a GGUF file: its kind, its version, and that no tensor lies beyond the end. For a
 * model in several files, give the path of the first; all are checked. Does not read weights, and never more of a
 * header than `ggufLimits` allow. Failures say what to do: `not-found`, or `bad-input` for a file that is not GGUF,
 * is truncated or is damaged.
 */
export async function readGguf(path: string): Promise<Reply<GgufHeader>> {
  try {
    const first = await readOne(path, firstBytes);
    const others = await readOthers(path, first);
    return success(headerOf(path, first, others));
  } catch (error) {
    return { ok: false, error: toFailure(error) };
  }
}

/** The keys and tensors of a model or an adapter. Throws an `AppError` for the failures of `readGguf`. */
export async function readTensors(path: string): Promise<Pick<ParsedGguf, 'keys' | 'tensors'>> {
  const first = await readOne(path, firstBytes);
  const others = await readOthers(path, first);
  return { keys: first.keys, tensors: [first, ...others].flatMap(({ tensors }) => tensors) };
}

/**
 * Enough for nearly every header with its vocabulary, so that it is parsed once. If not, four times as much is read.
 */
const firstBytes = 12 * 1024 * 1024;
/** Enough for the other files of a model, which contain tensor names and little else. */
const otherBytes = 1024 * 1024;

interface OneFile extends ParsedGguf {
  readonly fileBytes: number;
}

/** Throws `AppError`, with the path in its message. */
async function readOne(path: string, upTo: number): Promise<OneFile> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    throw new AppError('not-found', `No model file was found at ${path}.`, { hint: fetchAgain });
  }
  try {
    const { size } = await file.stat();
    const parsed = await parseFile(file, size, upTo);
    if (parsed.dataEnd > size) throw cutShort(parsed.dataEnd, size);
    return { ...parsed, fileBytes: size };
  } catch (error) {
    if (!(error instanceof AppError))
      throw new AppError('bad-input', `${path} cannot be read as a model file.`, { hint: fetchAgain });
    const { code, message, hint } = error;
    throw new AppError(code, `${path}: ${message}`, hint === undefined ? {} : { hint });
  } finally {
    await file.close();
  }
}

const fetchAgain = 'Download it again with `dewpoint models pull`.';

async function parseFile(file: FileHandle, size: number, most: number): Promise<ParsedGguf> {
  const parse = createGgufParse();
  let bytes = Buffer.alloc(0);
  let upTo = most;
  for (;;) {
    bytes = await readTo(file, bytes, Math.min(upTo, size));
    const needed = parse.push(bytes);
    if (needed === null) return parse.result();
    if (needed > size) throw cutShort(needed, size);
    upTo = Math.min(Math.max(needed, bytes.length * 4), ggufLimits.headerBytes);
  }
}

/** The other files of a model in several files, in order. Empty for a single file. */
async function readOthers(path: string, { keys, tensorCount }: OneFile): Promise<readonly OneFile[]> {
  const count = numberOf(keys['split.count']) ?? 1;
  if (count <= 1) return [];
  const name = partNameOf(path);
  if (name === null || name.count !== count)
    throw new AppError(
      'bad-input',
      `${path} is one of ${count} files of a model, but its name does not match theirs.`,
      {
        hint: `Restore their names: NAME-00001-of-${String(count).padStart(5, '0')}.gguf, and so on.`,
      },
    );
  const [first = path, ...rest] = partPaths(name);
  if (name.number !== 1)
    throw new AppError('bad-input', `${path} is number ${name.number} of ${count} files of a model.`, {
      hint: `Name the first one: ${first}`,
    });
  const others: OneFile[] = [];
  for (const part of rest) others.push(await readPart(part, others.length + 1, count));
  const tensors = others.reduce((sum, other) => sum + other.tensorCount, tensorCount);
  const wanted = numberOf(keys['split.tensors.count']) ?? tensors;
  if (tensors !== wanted)
    throw new AppError('bad-input', `The ${count} files of ${path} have ${tensors} of ${wanted} tensors.`, {
      hint: fetchAgain,
    });
  return others;
}

/** `index` starts at 0, as the files count themselves. */
async function readPart(path: string, index: number, count: number): Promise<OneFile> {
  const part = await readOne(path, otherBytes);
  const { 'split.no': ownIndex, 'split.count': ownCount } = part.keys;
  if (ownIndex === index && ownCount === count) return part;
  throw new AppError('bad-input', `${path} is a file of another model, says its header.`, {
    hint: fetchAgain,
  });
}

function headerOf(path: string, first: OneFile, others: readonly OneFile[]): GgufHeader {
  const { version, keys } = first;
  const architecture = textOf(keys['general.architecture']);
  if (architecture === null)
    throw new AppError('bad-input', `The header of ${path} does not say what kind of model it is.`);
  const sum = (of: (file: OneFile) => number): number => [first, ...others].reduce((all, file) => all + of(file), 0);
  return {
    version,
    architecture,
    name: textOf(keys['general.name']),
    contextTokens: numberOf(keys[`${architecture}.context_length`]),
    sizeLabel: textOf(keys['general.size_label']),
    license: textOf(keys['general.license']),
    chatTemplate: textOf(keys['tokenizer.chat_template']),
    use: useOf(architecture, first),
    tensorCount: sum((file) => file.tensorCount),
    neededBytes: sum((file) => file.dataEnd),
    fileBytes: sum((file) => file.fileBytes),
    files: others.length === 0 ? [path] : filesOf(path),
    facts: factsOf(first, others),
  };
}

/** Architectures that are always encoders, however old the file is. */
const encoders = /^(?:neo-|nomic-|modern-|euro)?bert(?:-moe)?$|^jina-bert-v[23]$|^gemma-embedding$/u;
const scoringTensors = new Set(['cls.weight', 'cls.output.weight']);
/** The engine's number for scoring, among the ways to combine the vectors of tokens. 0 is none. */
const scorePooling = 4;

function useOf(architecture: string, { keys, tensors }: OneFile): TextUse | null {
  const pooling = numberOf(keys[`${architecture}.pooling_type`]) ?? 0;
  if (pooling === scorePooling || tensors.some(({ name }) => scoringTensors.has(name))) return 'scores';
  return pooling > 0 || encoders.test(architecture) ? 'vectors' : null;
}

/** The beginning of the file, up to `upTo`. Bytes that are known already are not read again. */
async function readTo(file: FileHandle, known: Buffer, upTo: number): Promise<Buffer<ArrayBuffer>> {
  // Not zeroed, because either all of it is filled below, or this throws.
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
  return new AppError('bad-input', `the file is cut off: it has ${size} bytes of at least ${needed}.`, {
    hint: 'Remove it and download it again with `dewpoint models pull`.',
  });
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
