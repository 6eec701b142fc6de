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

/** For this machine, or for another one. Loads and fetches nothing. */
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

/** With which file of its family suits this machine, where it is one of the catalog. */
export async function withQuantization(
  entry: ModelEntry,
  { models, plan, catalog }: SuggestOptions,
  signal: AbortSignal,
): Promise<ModelEntry> {
  const name = entry.id.slice(entry.id.indexOf('/') + 1);
  const file = basename(entry.file?.path ?? `${name}.gguf`);
  const all = (await catalog.offered()).models;
  // Families share headers, so that a name of their own goes first.
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
  // The planner looks at the machine whatever it is asked about.
  const keys = { 'general.architecture': 'none' };
  const { devices, host } = await plan.plan({ ...plainInput, model: null, keys }, signal);
  // Graphics whose memory nobody is sure of are no faster than the processor.
  const cards = devices.filter(({ confidence }) => confidence !== 'low');
  return {
    devices: cards.map(({ name, totalBytes, isUnified }) => ({ name, totalBytes, isUnified })),
    host: { totalBytes: host.totalBytes },
    ...measuredHere(entries, cards.length > 0),
  };
}

/**
 * By the largest dense model that was probed in each memory: it reads its whole file for a token, so its speed and its size
 * say what the memory gives. One of the catalog that reads less is left out.
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
  // One that lies in both memories tells of neither.
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

/** Tokens a second that it wrote when it was probed here; null: nobody knows. */
function writtenBy({ card }: ModelEntry): number | null {
  return card?.speeds.find(({ decodePerSecond }) => decodePerSecond !== null)?.decodePerSecond ?? null;
}
