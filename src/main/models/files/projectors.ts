import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { ModelFacts } from '../memory/estimate/model-memory.ts';
import { readProjector } from '../memory/estimate/projector-memory.ts';
import type { ProjectorFacts } from '../memory/estimate/projector-memory.ts';
import type { ReadHeader } from '../memory/gguf/gguf-header-reader.ts';
import { numberOf } from '../memory/gguf/gguf-keys.ts';
import { createNameList } from './name-list.ts';
import type { NameList } from './name-list.ts';
import { partNameOf } from './split-model-files.ts';

/** A file that lets one model see pictures (`mmproj` on the hubs). */
export interface Projector {
  readonly path: string;
  readonly facts: ProjectorFacts;
}

/** What is known about a model's sight. `refusal` says why the file beside it is not used, in whole sentences. */
export type Sight = { readonly projector: Projector } | { readonly refusal: string };

/** Null: the model sees nothing. */
export function projectorOf({ sight }: { readonly sight?: Sight | undefined }): Projector | null {
  return sight !== undefined && 'projector' in sight ? sight.projector : null;
}

/** The projectors that the user chose, by the name or the path of their model. */
export type ProjectorList = NameList<string>;

export const createProjectorList = (path: string): ProjectorList =>
  createNameList(path, { entry: z.string(), what: 'projectors' });

/** `mmproj-F16.gguf`, `gemma-4-31B-it-mmproj.gguf`: so the hubs name them. They are no models of their own. */
export const isProjectorName = (file: string): boolean => /mmproj/iu.test(file) && /\.gguf$/iu.test(file);

/** The name of a projector that Dewpoint downloads, beside the file of its model. */
export const projectorNameFor = (model: string): string => `mmproj-${model}.gguf`;

interface SightOptions {
  readonly readHeader: ReadHeader;
  readonly projectors: Pick<ProjectorList, 'list'>;
}

/**
 * The projector of a model file: the one that was chosen, or else one in the same folder that has the name of the model
 * or stands beside no other model. Null: there is none.
 */
export async function sightOf(
  { name, path }: { readonly name: string; readonly path: string },
  { readHeader, projectors }: SightOptions,
): Promise<Sight | null> {
  const chosen = (await projectors.list()).get(name);
  const candidates = chosen === undefined ? await besides(path) : [chosen];
  let refusal: string | null = null;
  for (const candidate of candidates) {
    const found = await fitting(candidate, path, readHeader);
    if ('projector' in found) return found;
    refusal ??= found.refusal;
  }
  if (refusal === null && candidates.length === 0 && (await isUnfinished(name, path)))
    refusal = 'It sees no images: the download of its projector did not end. Download the model again to go on.';
  return refusal === null ? null : { refusal };
}

/** Whether the download of the model began to bring its projector. */
async function isUnfinished(name: string, path: string): Promise<boolean> {
  const files = await readdir(dirname(path)).catch((): string[] => []);
  return files.includes(`${projectorNameFor(name)}.download`);
}

/**
 * Checks a file before it is chosen for a model. Throws `AppError`: `bad-input` for a file that is no projector, is
 * damaged, or was made for another model.
 */
export async function checkProjector(path: string, modelPath: string, readHeader: ReadHeader): Promise<Projector> {
  if (!isAbsolute(path)) throw new AppError('bad-input', 'Use the full path of the projector file.');
  const found = await fitting(path, modelPath, readHeader);
  if ('projector' in found) return found.projector;
  throw new AppError('bad-input', found.refusal, { hint: 'Download the projector from the page of the model.' });
}

async function fitting(path: string, modelPath: string, readHeader: ReadHeader): Promise<Sight> {
  const file = seenName(basename(path));
  const header = await readHeader(path);
  if (!header.ok) return { refusal: `The projector ${file} cannot be used: ${header.error.message}` };
  const model = await readHeader(modelPath);
  const read = { ...header.value.facts, fileBytes: header.value.fileBytes };
  const found = projectorFor(read, model.ok ? model.value.facts : null);
  if ('facts' in found) return { projector: { path, facts: found.facts } };
  if (found.widths === null) return { refusal: `${file} is not a projector for pictures.` };
  const sizes = `it makes ${found.widths.made} values for each token, and the model takes ${found.widths.taken}`;
  return { refusal: `The projector ${file} belongs to another model: ${sizes}.` };
}

/** `widths`: it was made for a model of another width. Null: it is no projector for pictures. */
type ProjectorFit =
  | { readonly facts: ProjectorFacts }
  | { readonly widths: { readonly made: number; readonly taken: number } | null };

/** Whether a file is a projector for this model, by the headers of both. Null: the model's header is not known. */
export function projectorFor(
  { keys, weights, fileBytes }: Pick<ModelFacts, 'keys' | 'weights'> & { readonly fileBytes: number },
  model: Pick<ModelFacts, 'keys'> | null,
): ProjectorFit {
  const facts = readProjector(keys, weights?.totalBytes ?? fileBytes);
  if (facts === null) return { widths: null };
  const taken =
    model === null ? null : numberOf(model.keys[`${String(model.keys['general.architecture'])}.embedding_length`]);
  const made = facts.modelWidth;
  return taken !== null && made !== null && taken !== made ? { widths: { made, taken } } : { facts };
}

/** Whether a projector has the name of a model, or none of its own. Both are file names. */
export function isNamedFor(projector: string, model: string): boolean {
  const [stem, own] = [stemOf(projector), stemOf(wholeName(model))];
  return stem === '' || own === stem || own.startsWith(`${stem}-`) || stem.startsWith(`${own}-`);
}

/** Half floats first, because every card computes with them. */
export const precisionRank = (file: string): number => (/(?<!b)f16/iu.test(file) ? 0 : 1);

/** The one that came with the model is the first. */
async function besides(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const files = (await readdir(folder).catch((): string[] => [])).filter((file) => file.endsWith('.gguf'));
  const models = new Set(files.filter((file) => !isProjectorName(file)).map(wholeName));
  const model = basename(path);
  const own = projectorNameFor(wholeName(basename(path, '.gguf')));
  const named = files
    .filter(isProjectorName)
    .filter((file) => file === own || (isNamedFor(file, model) && (stemOf(file) !== '' || models.size === 1)));
  const rank = (file: string): number => (file === own ? -1 : precisionRank(file));
  return named
    .toSorted((left, right) => rank(left) - rank(right) || left.localeCompare(right))
    .map((file) => join(folder, file));
}

function wholeName(file: string): string {
  return partNameOf(file)?.whole ?? file;
}

/** The name without its ending, its precision and the word for projectors. */
function stemOf(file: string): string {
  const words = file
    .toLowerCase()
    .replace(/\.gguf$/u, '')
    .split(/[-_.]/u);
  return words
    .filter(
      (word) => !/^(?:mmproj|model|(?:i?q|tq)\d\w*|k|m|s|l|xs|xl|xxs|nl|ud|0|1|bf16|f16|f32|fp16|mxfp4)$/u.test(word),
    )
    .join('-');
}
