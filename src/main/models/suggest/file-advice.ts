import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ModelAdvice, ModelEntry } from '@shared/contract/models-contract.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import type { Effort } from '@shared/models/model-info.ts';
import { effortOfWord } from '@shared/models/model-info.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { ReadHeader } from '../memory/gguf/gguf-header-reader.ts';
import type { OfferedCatalog, OfferedFile, OfferedModel } from './offered-models.ts';

/** A model file as it lies on the disk. */
export interface FileHere {
  /** As it is named in commands: `llama-cpp/NAME`. */
  readonly id: string;
  readonly fileName: string;
  readonly bytes: number;
  /** When it was written; of a download, when it came. */
  readonly writtenAt: Date;
  /** Why its header cannot be read; null: it can. */
  readonly damage: string | null;
  /** It can be removed and fetched again. */
  readonly isOurs: boolean;
}

/** Slower than that nobody waits for an agent: public reports call 2 to 3 tokens a second a crawl. */
const leastPerSecond = 4;

/**
 * What speaks against a model that is here, by its file, its probe and the catalog. Nothing is asked elsewhere, so a file that
 * was replaced at its source after the catalog was written is not noticed.
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

/** Looks at the file of a model that is here; of what lies on a server, only its probe speaks. */
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

/** How hard the family of a file is best told to think, by the catalog. */
export function advisedEffort(catalog: OfferedCatalog, path: string): Effort | null {
  const advised = findFile(basename(path), catalog)?.model.thinking.effortDefault ?? null;
  return advised === null ? null : effortOfWord(advised);
}

/** What the catalog says of files, or layers, that draft tokens for a file; undefined: it knows of none. */
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

/** One of the two: whoever fetches a file again for one reason has the other one done, too. */
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
  // A file that came after the catalog was written may be newer than what the catalog knows.
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

/** By the shortest prompt of its probe: longer ones are slower still. */
function slowAdvice(card: Pick<KeptCard, 'speeds'> | null): ModelAdvice | null {
  const [first] = [...(card?.speeds ?? [])].sort((left, right) => left.promptTokens - right.promptTokens);
  const written = first?.decodePerSecond ?? null;
  if (written === null || written >= leastPerSecond) return null;
  return {
    kind: 'slow',
    text: `Too slow on this machine: its benchmark wrote ${written.toFixed(1)} tokens per second. Choose a smaller model.`,
  };
}
