import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ModelAdvice, ModelEntry } from '@shared/contract/models-contract.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import type { Effort } from '@shared/models/model-info.ts';
import { effortOfWord } from '@shared/models/model-info.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { ReadHeader } from '../memory/gguf/gguf-header-reader.ts';
import { leastPerSecond } from './expected-speed.ts';
import type { OfferedCatalog, OfferedFile, OfferedModel } from './offered-models.ts';

/** A model file on the disk. */
export interface FileHere {
  /** The name in commands: `llama-cpp/NAME`. */
  readonly id: string;
  readonly fileName: string;
  readonly bytes: number;
  /** The modification time. For a download, when it was downloaded. */
  readonly writtenAt: Date;
  /** Why its header cannot be read. Null: it can be. */
  readonly damage: string | null;
  /** It is in our folder, so it can be removed and downloaded again. */
  readonly isOurs: boolean;
}

/**
 * Warnings about a model that is on this machine, from its file, its probe and the catalog. It makes no requests, so
 * it does not notice a file that was replaced at its source after the catalog was written.
 */
export function adviseOnFile(
  here: FileHere,
  card: Pick<KeptCard, 'speeds'> | null,
  catalog: OfferedCatalog,
): readonly ModelAdvice[] {
  const known = findFile(here.fileName, catalog);
  const again = known === null ? null : againText(here, known.file);
  if (here.damage !== null)
    return [{ kind: 'broken', text: [`This file is damaged: ${here.damage}`, again].filter(isText).join(' ') }];
  const slow = slowAdvice(card);
  return [...(known === null ? [] : oldAdvice(here, known, catalog)), ...(slow === null ? [] : [slow])];
}

/** Warns about a model from its file and its probe. For a model on a server, only the probe is used. */
export function createModelAdvisor(readHeader: ReadHeader, catalog: () => Promise<OfferedCatalog>) {
  return async (
    { id, file, state, where }: ModelEntry,
    card: Pick<KeptCard, 'speeds'> | null,
  ): Promise<readonly ModelAdvice[]> => {
    if (where !== 'local' || state !== 'ready') return [];
    const found = file === undefined ? null : await stat(file.path).catch(() => null);
    const slow = slowAdvice(card);
    if (file === undefined || found === null) return slow === null ? [] : [slow];
    const header = await readHeader(file.path);
    const damage = header.ok || header.error.code === 'not-found' ? null : header.error.message;
    const { size: bytes, mtime: writtenAt } = found;
    const here = { id, fileName: basename(file.path), bytes, writtenAt, damage, isOurs: file.isOurs };
    return adviseOnFile(here, card, await catalog());
  };
}

const isText = (text: string | null): text is string => text !== null;

/** The thinking effort that the catalog recommends for the model of a file. Null: none. */
export function advisedEffort(catalog: OfferedCatalog, path: string): Effort | null {
  const advised = findFile(basename(path), catalog)?.model.thinking.effortDefault ?? null;
  return advised === null ? null : effortOfWord(advised);
}

/** What the catalog says about files or layers that draft for a file. Undefined: nothing. */
export function knownDrafters(catalog: OfferedCatalog, path: string): string | undefined {
  return findFile(basename(path), catalog)?.model.draft ?? undefined;
}

function findFile(
  fileName: string,
  { models }: OfferedCatalog,
): { readonly model: OfferedModel; readonly file: OfferedFile } | null {
  for (const model of models) {
    const file = model.files.find((one) => one.file.split('/').at(-1) === fileName);
    if (file !== undefined) return { model, file };
  }
  return null;
}

/** At most one warning, because one new download solves both. */
function oldAdvice(
  here: FileHere,
  { model, file }: { readonly model: OfferedModel; readonly file: OfferedFile },
  { date }: OfferedCatalog,
): readonly ModelAdvice[] {
  const day = here.writtenAt.toISOString().slice(0, 10);
  const { badBefore } = model;
  const again = againText(here, file);
  if (badBefore !== null && day < badBefore.date)
    return [
      {
        kind: 'broken',
        text: `This file is from ${day}, and files of ${model.label} from before ${badBefore.date} are wrong: ${badBefore.why}. ${again}`,
      },
    ];
  // A file that was written after the catalog may be newer than the one in it.
  if (file.bytes === null || file.bytes === here.bytes || day >= date) return [];
  return [
    {
      kind: 'newer',
      text: `A newer file of this name is available: ${sizeText(file.bytes)}, and yours from ${day} has ${sizeText(here.bytes)}. ${again}`,
    },
  ];
}

function againText({ id, isOurs }: FileHere, { repository, file }: OfferedFile): string {
  const pull = `\`dewpoint models pull hf:${repository}/${file}\``;
  return isOurs
    ? `Download it again: \`dewpoint models remove ${id}\`, then ${pull}.`
    : `The file is your own. Get the current one: ${pull}.`;
}

/** Judged by the shortest prompt of the probe, because longer ones are slower still. */
function slowAdvice(card: Pick<KeptCard, 'speeds'> | null): ModelAdvice | null {
  const [first] = [...(card?.speeds ?? [])].sort((left, right) => left.promptTokens - right.promptTokens);
  const written = first?.decodePerSecond ?? null;
  if (written === null || written >= leastPerSecond) return null;
  return {
    kind: 'slow',
    text: `Too slow on this machine: its benchmark wrote ${written.toFixed(1)} tokens per second. Choose a smaller model.`,
  };
}
