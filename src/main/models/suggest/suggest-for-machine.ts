import { basename } from 'node:path';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { ModelSuggestions, SuggestMachine } from '@shared/models/model-suggestion.ts';
import type { AvailableModels } from '../available-models.ts';
import type { KnownHeader } from '../files/model-catalog.ts';
import type { MemoryPlanner } from '../memory/memory-planner.ts';
import { plainInput } from '../memory/memory-planner.ts';
import type { OfferedCatalog } from './offered-models.ts';
import { adviseQuantization } from './quantization-advice.ts';
import { bandwidthOf } from './expected-speed.ts';
import { suggestModels } from './suggest-models.ts';

export interface SuggestOptions {
  readonly models: Pick<AvailableModels, 'list'>;
  readonly plan: Pick<MemoryPlanner, 'plan'>;
  readonly catalog: { readonly offered: () => Promise<OfferedCatalog>; readonly known: readonly KnownHeader[] };
}

/** Suggests models for this machine or for another one. Loads and downloads nothing. */
export async function suggestForMachine(
  asked: SuggestMachine | null,
  { models, plan, catalog }: SuggestOptions,
  signal: AbortSignal,
): Promise<ModelSuggestions> {
  const entries = await models.list(signal);
  const ready = entries.filter(({ state }) => state === 'ready').map(({ id }) => id);
  const machine = asked ?? (await thisMachine(entries, plan, signal));
  return suggestModels(machine, {
    catalog: await catalog.offered(),
    known: catalog.known,
    ready: asked === null ? ready : [],
  });
}

/** Adds which file of the same model suits this machine, if the model is in the catalog. */
export async function withQuantization(
  entry: ModelEntry,
  { models, plan, catalog }: SuggestOptions,
  signal: AbortSignal,
): Promise<ModelEntry> {
  const name = entry.id.slice(entry.id.indexOf('/') + 1);
  const file = basename(entry.file?.path ?? `${name}.gguf`);
  const all = (await catalog.offered()).models;
  // Several models can share a header, so a match by file name comes first.
  const model =
    all.find(({ files }) => files.some((one) => basename(one.file) === file)) ??
    all.find(({ id, ollama }) => id === name || ollama?.tag === name) ??
    all.find(({ header }) => header === name);
  if (model === undefined || entry.where !== 'local') return entry;
  const entries = await models.list(signal);
  const machine = await thisMachine(entries, plan, signal);
  const measured = new Map(
    entries.flatMap((one) => {
      const written = writtenBy(one);
      return one.file === undefined || written === null ? [] : [[basename(one.file.path), written] as const];
    }),
  );
  return { ...entry, quantization: adviseQuantization({ model, machine, sources: catalog, measured }) };
}

async function thisMachine(
  entries: readonly ModelEntry[],
  plan: SuggestOptions['plan'],
  signal: AbortSignal,
): Promise<SuggestMachine> {
  // The planner reads the hardware for any request.
  const keys = { 'general.architecture': 'none' };
  const { devices, host } = await plan.plan({ ...plainInput, model: null, keys }, signal);
  // Cards whose memory size is uncertain are no faster than the processor.
  const cards = devices.filter(({ confidence }) => confidence !== 'low');
  return {
    devices: cards.map(({ name, totalBytes, isUnified }) => ({ name, totalBytes, isUnified })),
    host: { totalBytes: host.totalBytes },
    ...measuredHere(entries, cards.length > 0),
  };
}

/**
 * The bandwidth of each memory, from the largest dense model that was probed in it. A dense model reads its whole
 * file for each token, so bandwidth follows from its speed and size. Mixtures of experts are left out, because they
 * read less.
 */
export function measuredHere(
  entries: readonly ModelEntry[],
  hasCard: boolean,
): Pick<SuggestMachine, 'deviceBandwidth' | 'hostBandwidth' | 'measuredPrefill'> {
  const probed = entries
    .filter(
      ({ id, sizeBytes, card }) => /^llama-(?:cpp|server)\//u.test(id) && sizeBytes !== null && card !== undefined,
    )
    .filter(({ label, id }) => !/-a\d+b|moe|oss/iu.test(`${label} ${id}`))
    .sort((left, right) => (right.sizeBytes ?? 0) - (left.sizeBytes ?? 0));
  const onProcessor = probed.find(({ card }) => !hasCard || card?.backend === 'cpu');
  // A model that is split between both memories shows the bandwidth of neither.
  const onCard = hasCard ? probed.find(({ card }) => !['cpu', 'gpu and cpu'].includes(card?.backend ?? '')) : undefined;
  const best = hasCard ? onCard : onProcessor;
  const prefill = Math.max(0, ...(best?.card?.speeds ?? []).map(({ prefillPerSecond }) => prefillPerSecond ?? 0));
  const parametersB = best?.info?.parametersB ?? null;
  return {
    deviceBandwidth: bandwidthBy(onCard, true),
    hostBandwidth: bandwidthBy(onProcessor, false),
    measuredPrefill: prefill === 0 || parametersB === null ? null : { perSecond: prefill, activeB: parametersB },
  };
}

function bandwidthBy(entry: ModelEntry | undefined, isOnCard: boolean): number | null {
  const decode = entry === undefined ? null : writtenBy(entry);
  return decode === null || decode <= 0 ? null : bandwidthOf(entry?.sizeBytes ?? 0, decode, isOnCard);
}

/** Tokens a second that the model wrote in its probe on this machine. Null: unknown. */
function writtenBy({ card }: ModelEntry): number | null {
  return card?.speeds.find(({ decodePerSecond }) => decodePerSecond !== null)?.decodePerSecond ?? null;
}
