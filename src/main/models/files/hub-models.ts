import { basename } from 'node:path';
import { AppError, valueOf } from '@shared/errors.ts';
import type { ModelChoice } from '@shared/models/model-choice.ts';
import type { MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import type { MemoryPlanner } from '../memory/memory-planner.ts';
import { pullPhases } from './pull-phases.ts';
import type { HubClient, HubFile, HubName, HubRepository } from './download/hub-client.ts';
import { hubNameOf } from './download/hub-client.ts';
import type { FetchedModel } from './download/fetch-model.ts';
import type { ModelStore } from './model-store.ts';
import type { ModelFacts } from '../memory/estimate/model-memory.ts';
import { isNamedFor, projectorFor, projectorNameFor } from './projectors.ts';
import { partNameOf } from './split-model-files.ts';
import { plainInput } from '../memory/memory-planner.ts';
import type { FoundRepository, ModelEntry, PullProgress } from '@shared/contract/models-contract.ts';

/** Models on a hub that are not in the catalog: `hf:OWNER/REPO[:QUANTISATION]`. */
export interface HubModels {
  /** Repositories by words. What is said of their size and fit is a guess; `show` reads the files. */
  readonly search: (words: string, signal: AbortSignal) => Promise<readonly FoundRepository[]>;
  /** Null for an id of another kind. */
  readonly show: (id: string, signal: AbortSignal) => Promise<ModelEntry | null>;
  /**
   * Returns false for an id of another kind. Without a quantization in the id, it takes one that fits on this
   * machine.
   */
  readonly pull: (id: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal) => Promise<boolean>;
}

export interface HubModelsOptions {
  readonly hub: HubClient;
  readonly store: Pick<ModelStore, 'fetch'>;
  readonly plan: Pick<MemoryPlanner, 'plan' | 'planEach'>;
}

interface OfferedFile {
  readonly file: HubFile;
  readonly plan: MemoryPlanAnswer | null;
  /** The smallest file with which it sees images. Null: there is none. */
  readonly projector: HubFile | null;
}

interface OfferedModel {
  readonly repository: HubRepository;
  readonly files: readonly OfferedFile[];
  /** Null if none of the requested files fits on this machine. */
  readonly taken: OfferedFile | null;
}

export function createHubModels(options: HubModelsOptions): HubModels {
  return {
    async search(words, signal) {
      const hits = valueOf(await options.hub.search(words, signal));
      if (hits.length === 0) return [];
      const roomBytes = await usualRoom(options.plan, signal);
      return hits.map(({ repository, parameters, ...hit }) => {
        const sizeBytes = parameters === null ? null : Math.round(parameters * bytesPerWeight);
        return { ...hit, id: `hf:${repository}`, sizeBytes, fits: sizeBytes === null ? null : sizeBytes < roomBytes };
      });
    },
    async show(id, signal) {
      const name = hubNameOf(id);
      return name === null ? null : entryOf(id, await findOffered(options, name, signal));
    },
    async pull(id, onProgress, signal) {
      const name = hubNameOf(id);
      if (name === null) return false;
      const { repository, taken } = await findOffered(options, name, signal);
      if (taken === null)
        throw new AppError('bad-input', `No file of ${repository.repository} fits into the memory of this machine.`, {
          hint: `Name a file to download it anyway: hf:${repository.repository}:${repository.files[0]?.quantisation ?? 'Q4_K_M'}`,
        });
      const model = fetchedAs(taken, repository.repository);
      const sizeBytes = taken.file.sizeBytes + (taken.projector?.sizeBytes ?? 0);
      const done = await options.store.fetch(model, {
        signal,
        onProgress: ({ phase, doneBytes, totalBytes }) =>
          onProgress({ phase: pullPhases[phase], doneBytes, totalBytes, text: '' }),
      });
      valueOf(done);
      onProgress({ phase: 'done', doneBytes: sizeBytes, totalBytes: sizeBytes, text: `llama-cpp/${model.name}` });
      return true;
    },
  };
}

/** Of a file with about 4 bits a weight, such as `Q4_K_M`, with what it keeps at higher precision. */
const bytesPerWeight = 0.6;

/** How large a file may be for the rest of its memory to fit, too, if little else runs here. */
async function usualRoom(plan: HubModelsOptions['plan'], signal: AbortSignal): Promise<number> {
  const keys = { 'general.architecture': 'none' };
  const { devices, host } = await plan.plan({ ...plainInput, model: null, keys }, signal);
  const cards = devices.filter(({ confidence }) => confidence !== 'low');
  return Math.max(host.totalBytes * 0.7, cards.reduce((sum, { totalBytes }) => sum + totalBytes, 0) * 0.85);
}

async function findOffered(
  { hub, plan }: HubModelsOptions,
  { repository: wanted, quantisation, file }: HubName,
  signal: AbortSignal,
): Promise<OfferedModel> {
  const repository = valueOf(await hub.read(wanted, signal));
  const isAsked = (one: HubFile): boolean =>
    file === null
      ? quantisation === null || one.quantisation === quantisation.toUpperCase()
      : one.parts.some(({ path }) => path === file);
  const asked = repository.files.filter(isAsked);
  const [smallest] = asked;
  if (smallest === undefined) throw noFileError(repository, quantisation ?? file);
  // All files share the same header keys. Only their sizes differ.
  const header = await hub.header(smallest, wanted, signal);
  if (!header.ok && signal.aborted) valueOf(header);
  const plans = header.ok
    ? await plan.planEach(
        asked.map((one) => ({
          ...header.value,
          weights:
            one === smallest
              ? header.value.weights
              : { totalBytes: one.sizeBytes, inputBytes: null, isTied: null, layers: null },
        })),
        signal,
      )
    : [];
  const projectors = createProjectorFinder({ hub, repository, model: header.ok ? header.value : null }, signal);
  const files: OfferedFile[] = [];
  for (const [index, one] of asked.entries())
    files.push({ file: one, plan: plans[index] ?? null, projector: await projectors(one) });
  return { repository, files, taken: quantisation === null && file === null ? best(files) : (files[0] ?? null) };
}

/** A repository has a few projectors in different precisions. No more are looked at. */
const mostProjectors = 6;

/** Finds the smallest projector of a model by the names and headers of both. Each header is read once. */
function createProjectorFinder(
  {
    hub,
    repository,
    model,
  }: { readonly hub: HubClient; readonly repository: HubRepository; readonly model: ModelFacts | null },
  signal: AbortSignal,
): (file: HubFile) => Promise<HubFile | null> {
  const known = new Map<HubFile, boolean>();
  const fits = async (projector: HubFile): Promise<boolean> => {
    const kept = known.get(projector);
    if (kept !== undefined) return kept;
    if (known.size >= mostProjectors) return false;
    const header = await hub.header(projector, repository.repository, signal);
    if (!header.ok && signal.aborted) valueOf(header);
    const isFit = header.ok && 'facts' in projectorFor({ ...header.value, fileBytes: projector.sizeBytes }, model);
    known.set(projector, isFit);
    return isFit;
  };
  return async (file) => {
    for (const projector of repository.projectors)
      if (isNamedFor(basename(projector.path), basename(file.path)) && (await fits(projector))) return projector;
    return null;
  };
}

function noFileError({ repository, files }: HubRepository, asked: string | null): AppError {
  const names = files.map((one) => one.quantisation ?? one.path);
  if (names.length > 0)
    return new AppError('not-found', `${repository} has no ${asked ?? 'model'}.`, {
      hint: `It has: ${names.join(', ')}.`,
    });
  return new AppError('bad-input', `${repository} has no complete model as a GGUF file.`, {
    hint: 'Choose a repository of the same model with GGUF in its name.',
  });
}

/**
 * The most common quantization that fits, else the largest file that fits. A file whose fit is unknown counts as
 * fitting.
 */
function best(files: OfferedModel['files']): OfferedFile | null {
  const fits = files.filter(({ plan }) => plan === null || isHere(plan));
  for (const usual of ['Q4_K_M', 'UD-Q4_K_XL', 'MXFP4']) {
    const found = fits.find(({ file }) => file.quantisation === usual);
    if (found !== undefined) return found;
  }
  return fits.at(-1) ?? null;
}

function isHere({ granted, certainty }: MemoryPlanAnswer): boolean {
  return certainty === 'unknown' || granted.context > 0;
}

function entryOf(id: string, { repository, files, taken }: OfferedModel): ModelEntry {
  const choices = files.map(({ file, plan, projector }): ModelChoice => ({
    id: `hf:${repository.repository}${isOnlyOne(file, repository) ? `:${file.quantisation}` : `/${file.path}`}`,
    model: `llama-cpp/${localName(file)}`,
    sizeBytes: file.sizeBytes,
    projectorBytes: projector?.sizeBytes ?? null,
    fit: plan?.granted.reason ?? null,
    fits: plan === null || plan.certainty === 'unknown' ? null : plan.granted.context > 0,
    isTaken: file === taken?.file,
  }));
  const notes = [
    ...(repository.isGated ? ['gated: accept its terms at the source, and set HF_TOKEN'] : []),
    ...(taken !== null && taken.file.parts.length > 1 ? [`in ${taken.file.parts.length} files`] : []),
  ];
  return {
    id,
    label: taken === null ? repository.repository : basename(taken.file.path),
    where: 'local',
    state: 'downloadable',
    sizeBytes: taken?.file.sizeBytes ?? null,
    license: repository.license,
    info: null,
    note: notes.length === 0 ? null : notes.join('; '),
    choices,
  };
}

/** Whether the quantization identifies one file. If several files share it, they are named by their paths. */
function isOnlyOne({ quantisation }: HubFile, { files }: HubRepository): boolean {
  return quantisation !== null && files.filter((one) => one.quantisation === quantisation).length === 1;
}

/** The model's name on this machine: its file name, without the number of a part. */
function localName({ path }: HubFile): string {
  return basename(partNameOf(path)?.whole ?? basename(path, '.gguf'));
}

function fetchedAs({ file, projector }: OfferedFile, repository: string): FetchedModel {
  const name = localName(file);
  const fetched = (part: HubFile['parts'][number], fileName: string): FetchedModel['files'][number] => ({
    fileName,
    bytes: part.sizeBytes,
    sha256: part.sha256,
    from: [{ type: 'uri', uri: `hf:${repository}/${part.path}` }],
  });
  const [sight] = projector?.parts ?? [];
  return {
    name,
    files: file.parts.map((part) => fetched(part, basename(part.path))),
    ...(sight === undefined ? {} : { projector: fetched(sight, projectorNameFor(name)) }),
  };
}
