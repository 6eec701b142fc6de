import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AppError, failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { ModelRemoval } from '@shared/contract/models-contract.ts';
import { thinkingSwitchOf } from '../engine/thinking-switch.ts';
import { fetchModel, sizeOf } from './download/fetch-model.ts';
import type { FetchedModel, PullOptions, Sources } from './download/fetch-model.ts';
import { sha256OfFiles } from './hash-model-files.ts';
import type { ReadHeader } from '../memory/gguf/gguf-header-reader.ts';
import { addAdapter, createAdapterList, findAdapted } from './adapters.ts';
import type { AdapterParts } from './adapters.ts';
import { importModel } from './import-model.ts';
import { createImportedModels } from './name-list.ts';
import type { ImportedModels } from './name-list.ts';
import { checkProjector, createProjectorList, isProjectorName, projectorNameFor, sightOf } from './projectors.ts';
import type { ProjectorList } from './projectors.ts';
import type { CatalogModel, ModelCatalog } from './model-catalog.ts';
import { leftovers, removeModel } from './remove-model.ts';
import type { RemoveDependencies } from './remove-model.ts';
import { filesOf, partNameOf, partPaths } from './split-model-files.ts';
import type { FileToAdd, StoredModel } from './stored-model.ts';

/** The model files of this machine. Names may have the prefix `llama-cpp/`. */
export interface ModelStore {
  /** Models that the catalog offers, other files in the folder, and imported files. */
  list(): Promise<readonly StoredModel[]>;
  /** Null for a name that is neither in the catalog nor a file. */
  find(name: string): Promise<StoredModel | null>;
  /** Adds a file anywhere on the disk by reference and returns its name. See `importModel`. */
  add(request: FileToAdd): Promise<string>;
  /**
   * Adds a LoRA adapter to a model by reference and returns the name of the combination, see `addAdapter`. A projector
   * lets the model itself see pictures, so its name is returned.
   */
  addAdapter(base: string, request: FileToAdd, signal: AbortSignal): Promise<string>;
  /** Deletes our files and forgets others. See `removeModel`. Throws `not-found` if the model is not here. */
  remove(
    name: string,
    options: Omit<RemoveDependencies, 'imported' | 'adapters' | 'projectors'>,
  ): Promise<ModelRemoval>;
  /**
   * Downloads a model of the catalog unless it is here, and returns its path. After an abort, the next try resumes.
   */
  ensure(name: string, options: PullOptions): Promise<Reply<string>>;
  /**
   * Downloads a model that is not in the catalog. Its name must be free, or belong to the same model already.
   * Returns the path of its first file. Otherwise like `ensure`.
   */
  fetch(model: FetchedModel, options: PullOptions): Promise<Reply<string>>;
  readonly starter: string | null;
}

export interface ModelStoreOptions extends Sources, AdapterParts {
  readonly cacheDir: string;
  readonly catalog: ModelCatalog;
  readonly readHeader: ReadHeader;
  readonly imported: ImportedModels;
  readonly projectors: ProjectorList;
}

/** The lists of the user's own files, each of which stays where it is. */
export function openFileLists(home: string): Pick<ModelStoreOptions, 'imported' | 'adapters' | 'projectors'> {
  return {
    imported: createImportedModels(join(home, 'imported-models.json')),
    adapters: createAdapterList(join(home, 'adapters.json')),
    projectors: createProjectorList(join(home, 'projectors.json')),
  };
}

export function createModelStore(options: ModelStoreOptions): ModelStore {
  const dir = join(options.cacheDir, 'models');
  const { models } = options.catalog;
  const offered = models.filter(({ strategies }) => strategies.length > 0).map(({ name }) => name);
  const { imported, readHeader } = options;
  const find = async (given: string): Promise<StoredModel | null> => {
    const model = await withProjectorBytes(await findAny(shortName(given)));
    if (model === null || model.path === null || !model.isInstalled || model.use !== undefined) return model;
    const sight = await sightOf({ name: model.adapter?.baseName ?? model.name, path: model.path }, options);
    return sight === null ? model : { ...model, sight };
  };
  const findAny = async (name: string): Promise<StoredModel | null> => {
    const known = models.find((model) => model.name === name);
    if (isAbsolute(name)) return describeFile({ name, path: name, origin: 'path' }, readHeader);
    // Names contain no folders, so a path is not a name.
    if (basename(name) !== name) return null;
    if (known !== undefined) return withSources(await describeKnown(known, join(dir, `${name}.gguf`)), options.catalog);
    const adapted = await findAdapted(name, find, options);
    if (adapted !== null) return adapted;
    const own = (await imported.list()).get(name);
    if (own !== undefined) return describeFile({ name, path: own, origin: 'imported' }, readHeader);
    const [path] = await filesNamed(name, dir);
    return path === undefined ? null : describeFile({ name, path, origin: 'folder' }, readHeader);
  };
  return {
    starter: models.find((model) => model.starter)?.name ?? null,
    find,
    async list() {
      const files = (await readdir(dir).catch((): string[] => []))
        .filter((name) => name.endsWith('.gguf') && (partNameOf(name)?.number ?? 1) === 1 && !isProjectorName(name))
        .map(modelNameOf);
      const others = new Set([...files, ...(await imported.list()).keys(), ...(await options.adapters.list()).keys()]);
      for (const name of offered) others.delete(name);
      const names = [...offered, ...[...others].sort()];
      return (await Promise.all(names.map(find))).filter((model) => model !== null);
    },
    add: (request) =>
      importModel(request, {
        readHeader,
        imported,
        takenBy: async (name) => (await find(name))?.place ?? null,
      }),
    async addAdapter(given, request, signal) {
      const base = await find(given);
      if (base === null || base.adapter !== undefined) throw notHere(shortName(given));
      const header = await readHeader(request.path);
      if (header.ok && header.value.architecture === 'clip' && base.path !== null) {
        const { path } = await checkProjector(request.path, base.path, readHeader);
        await options.projectors.add(base.name, path);
        return base.name;
      }
      return addAdapter(request, base, { ...options, signal });
    },
    async remove(given, { release, signal }) {
      const name = shortName(given);
      const model = (await find(name)) ?? (await unfinished(name, dir));
      if (model === null || (model.origin === 'folder' && model.hereBytes === 0)) throw notHere(name);
      return removeModel(model, { ...options, release, signal });
    },
    async ensure(given, pull) {
      const name = shortName(given);
      const present = await find(name);
      if (present?.isInstalled === true && present.path !== null) return success(present.path);
      const model = models.find((one) => one.name === name);
      if (model === undefined) return notKnown(name, offered);
      return fetchModel({ name, files: [{ ...model, fileName: `${name}.gguf` }] }, dir, { ...options, ...pull });
    },
    async fetch(model, pull) {
      const present = await find(model.name);
      if (present !== null && !(await isThatModel(present, model, pull))) return taken(model.name);
      const isWhole = present?.isInstalled === true && model.projector === undefined;
      if (isWhole && present.path !== null) return success(present.path);
      return fetchModel(model, dir, { ...options, ...pull });
    },
  };
}

function notHere(name: string): AppError {
  return new AppError('not-found', `The model ${name} is not on this machine.`, {
    hint: 'Run `dewpoint models list` to see your models.',
  });
}

function notKnown(name: string, offered: readonly string[]): Reply<never> {
  return failure(
    'not-found',
    `The model ${name} is not in the catalog.`,
    `Known: ${offered.join(', ')}. From a hub: hf:OWNER/REPO. Your own file: llama-cpp//path/to/model.gguf`,
  );
}

function taken(name: string): Reply<never> {
  return failure(
    'conflict',
    `Another model here has the name ${name}. Nothing was downloaded.`,
    `Remove it first: dewpoint models remove llama-cpp/${name}`,
  );
}

/** Whether the files on the disk are this very model. Name and size alone do not prove that. */
async function isThatModel(
  { origin, files }: StoredModel,
  model: FetchedModel,
  { signal, onProgress }: PullOptions,
): Promise<boolean> {
  if (origin !== 'folder' || files.length !== model.files.length) return false;
  const totalBytes = model.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const [index, path] of files.entries()) {
    const wanted = model.files[index];
    const size = await sizeOf(path);
    if (wanted === undefined || basename(path) !== wanted.fileName) return false;
    const report = (doneBytes: number): void =>
      onProgress({ phase: 'checking', doneBytes: before + doneBytes, totalBytes });
    const isThat = async (): Promise<boolean> =>
      size === wanted.bytes && (await sha256OfFiles([path], { signal, onProgress: report })) === wanted.sha256;
    if (size !== null && !(await isThat())) return false;
    before += wanted.bytes;
  }
  return true;
}

function withSources(model: StoredModel, { known }: ModelCatalog): StoredModel {
  const entry = known.find(({ name }) => name === model.name);
  return entry === undefined ? model : { ...model, headerFrom: entry.sources };
}

/** A partial download of a model that is not in the catalog. Null: there is none. */
async function unfinished(name: string, dir: string): Promise<StoredModel | null> {
  const files = basename(name) === name ? await filesNamed(name, dir) : [];
  const [place] = files;
  if (place === undefined) return null;
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
    files,
    hereBytes: await bytesOf(files),
    strategies: ['recipe'],
    efforts: [],
  };
}

/** All files of a model in the folder, in order, even if only one of them has begun to arrive. */
async function filesNamed(name: string, dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir).catch((): string[] => []);
  const own = entries
    .map((entry) => entry.replace(/\.(?:partial|download)$/u, ''))
    .filter((file) => file.endsWith('.gguf') && modelNameOf(file) === name)
    .sort();
  const file = own.find((one) => partNameOf(one) === null) ?? own[0];
  if (file === undefined) return [];
  const part = partNameOf(file);
  return (part === null ? [file] : partPaths(part)).map((one) => join(dir, one));
}

/** `NAME` of `NAME.gguf` and of `NAME-00001-of-00003.gguf`. */
function modelNameOf(file: string): string {
  return partNameOf(file)?.whole ?? file.slice(0, -'.gguf'.length);
}

/** A model that was downloaded takes its projector along. */
async function withProjectorBytes(model: StoredModel | null): Promise<StoredModel | null> {
  if (model?.origin !== 'folder') return model;
  const projector = join(dirname(model.place), projectorNameFor(model.name));
  return { ...model, hereBytes: model.hereBytes + (await bytesOf([projector])) };
}

/** The bytes on the disk, partial downloads included. */
async function bytesOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all([...files, ...files.flatMap(leftovers)].map(sizeOf));
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

async function describeKnown(model: CatalogModel, place: string): Promise<StoredModel> {
  const size = await sizeOf(place);
  return {
    name: model.name,
    label: model.label,
    isInstalled: size === model.bytes,
    isStarter: model.starter,
    path: size === null ? null : place,
    origin: 'folder',
    place,
    files: [place],
    hereBytes: await bytesOf([place]),
    bytes: model.bytes,
    contextTokens: model.contextTokens,
    parametersB: model.parametersB,
    strategies: model.strategies,
    efforts: [],
    license: model.license,
    sha256: model.sha256,
  };
}

/**
 * Describes a model that is not in the catalog, from its own header. Damaged files and imported files that are gone
 * are listed, too.
 */
async function describeFile(
  { name, path, origin }: { readonly name: string; readonly path: string; readonly origin: StoredModel['origin'] },
  readHeader: ReadHeader,
): Promise<StoredModel | null> {
  const isThere = (await sizeOf(path)) !== null;
  if (!isThere && origin !== 'imported') return null;
  const header = isThere ? await readHeader(path) : null;
  const known = header?.ok === true ? header.value : null;
  const files = known?.files ?? filesOf(path);
  const hereBytes = await bytesOf(files);
  return {
    name,
    label: known?.name ?? basename(path),
    // In a model of several files, one can be missing.
    isInstalled: isThere && (header?.ok !== false || header.error.code !== 'not-found'),
    isStarter: false,
    path: isThere ? path : null,
    origin,
    place: path,
    files,
    hereBytes,
    bytes: known?.fileBytes ?? (isThere ? hereBytes : null),
    contextTokens: known?.contextTokens ?? null,
    parametersB: parametersOf(known?.sizeLabel ?? null),
    strategies: (known?.use ?? null) === null ? ['recipe'] : [],
    ...(known === null || known.use === null ? {} : { use: known.use }),
    efforts: thinkingSwitchOf(known?.chatTemplate ?? null)?.efforts ?? [],
    license: known?.license ?? null,
    sha256: null,
  };
}

/** Parses "1.5B" and "135M" into billions. */
function parametersOf(label: string | null): number | null {
  const match = /^(\d+(?:\.\d+)?)([BM])$/.exec(label ?? '');
  if (match === null) return null;
  return match[2] === 'B' ? Number(match[1]) : Number(match[1]) / 1000;
}

/** The short name of a model. Any file of several stands for the whole model. */
function shortName(given: string): string {
  const name = given.startsWith('llama-cpp/') ? given.slice('llama-cpp/'.length) : given;
  return isAbsolute(name) ? name : (partNameOf(`${name}.gguf`)?.whole ?? name);
}
