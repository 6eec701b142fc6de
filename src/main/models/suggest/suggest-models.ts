import { basename } from 'node:path';
import type {
  ModelSuggestions,
  SuggestMachine,
  SuggestedModel,
  SuggestedReader,
  SuggestedRole,
} from '@shared/models/model-suggestion.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { KnownHeader } from '../files/model-catalog.ts';
import { readModelMemory } from '../memory/estimate/model-memory.ts';
import type { ModelMemory } from '../memory/estimate/model-memory.ts';
import { budgetBytes, hostBudget, planMemory } from '../memory/memory-plan.ts';
import { expectedSpeed, leastPerSecond } from './expected-speed.ts';
import { lossOf } from './offered-models.ts';
import type { OfferedCatalog, OfferedFile, OfferedModel } from './offered-models.ts';
import { wishes } from './suggestion-policy.ts';
import type { MachineKind, Wish } from './suggestion-policy.ts';

export interface SuggestSources {
  readonly catalog: OfferedCatalog;
  /** Headers for the memory planner. */
  readonly known: readonly KnownHeader[];
  /** The ids of models that can be called now. */
  readonly ready: readonly string[];
}

/** The context size that an agent should have, and the least that it can work with. */
export const goodTokens = 64 * 1024;
export const leastTokens = 16 * 1024;
/** The context bytes per token of a model whose header is not known. */
const assumedBytesPerToken = 64 * 1024;
const computeBytes = 600_000_000;
/** The share of main memory that a model can use. The system and other programs keep the rest. */
const hostShare = 0.9;
/** What CUDA and ROCm use themselves as soon as an engine starts on a card. */
const driverBytes = 640 * 1024 * 1024;

/**
 * Suggests the catalog's best model for coding, one for chat and pictures, and a small one, ranked by what was measured
 * on the machine. It assumes that little
 * else runs on the machine. Pure.
 */
export function suggestModels(machine: SuggestMachine, sources: SuggestSources): ModelSuggestions {
  const kind = kindOf(machine);
  const roles: readonly SuggestedRole[] = ['coding', 'chat', 'quick'];
  const models: SuggestedModel[] = [];
  for (const role of roles) {
    const found = firstThatFits(role, kind, { machine, sources, taken: models.map(({ source }) => source) });
    if (found !== null) models.push(found);
  }
  return {
    machine,
    date: sources.catalog.date,
    models: rankedBySpeed(models),
    readers: sources.catalog.readers.map(suggestedReader),
  };
}

/**
 * Models that are too slow here come last, the quickest of them first. All others, and those whose speed is not known
 * yet, keep the order of the catalog.
 */
function rankedBySpeed(models: readonly SuggestedModel[]): readonly SuggestedModel[] {
  const slowness = ({ decodePerSecond }: SuggestedModel): number =>
    decodePerSecond === null || decodePerSecond >= leastPerSecond ? 0 : 1 / decodePerSecond;
  return models.toSorted((left, right) => slowness(left) - slowness(right));
}

function suggestedReader({ id, label, use, license, why, file }: OfferedCatalog['readers'][number]): SuggestedReader {
  const source = `hf:${file.repository}/${file.file}`;
  return { id, label, use, license, why, source, sizeBytes: file.bytes ?? file.aboutBytes };
}

function kindOf({ devices }: SuggestMachine): MachineKind {
  const [first] = [...devices].sort((left, right) => right.totalBytes - left.totalBytes);
  if (first === undefined || first.totalBytes < 4e9) return 'processor';
  if (first.isUnified) return 'unified';
  return /amd|radeon|\brx\s?\d/iu.test(first.name) ? 'amd' : 'card';
}

interface Asked {
  readonly machine: SuggestMachine;
  /** Files that are already suggested. */
  readonly taken: readonly string[];
  readonly sources: SuggestSources;
}

export interface Fit {
  readonly file: OfferedFile;
  readonly place: SuggestedModel['place'];
  readonly tokens: number;
  readonly isPlanned: boolean;
  readonly onDevice: number;
}

function firstThatFits(role: SuggestedRole, kind: MachineKind, asked: Asked): SuggestedModel | null {
  for (const wish of wishes[kind][role]) {
    const model = asked.sources.catalog.models.find(({ id }) => id === wish.id);
    if (model === undefined) continue;
    const fit = bestFile(wish, model, asked);
    if (fit === null) continue;
    const found = described({ role, wish, model, fit }, asked);
    if (!asked.taken.includes(found.source)) return found;
  }
  return null;
}

/** The first file with room for a good context. Else the last one, if it has room for the least. */
function bestFile(wish: Wish, model: OfferedModel, asked: Asked): Fit | null {
  let last: Fit | null = null;
  for (const quantization of wish.quantizations) {
    const file = model.files.find((one) => one.quantization === quantization && one.aboutBytes !== null);
    if (file === undefined) continue;
    last = fitOf(wish, model, file, asked);
    if (last !== null && last.tokens >= Math.min(goodTokens, model.contextTokens ?? goodTokens)) return last;
  }
  return last !== null && last.tokens >= leastTokens ? last : null;
}

export function fitOf(
  wish: Pick<Wish, 'place' | 'leastCardBytes'>,
  model: OfferedModel,
  file: OfferedFile,
  { machine, sources }: { readonly machine: SuggestMachine; readonly sources: Pick<SuggestSources, 'known'> },
): Fit | null {
  const fileBytes = file.aboutBytes ?? 0;
  const hostBytes = hostBudget(machine.host.totalBytes * hostShare);
  const cards = machine.devices.map((device) => ({
    ...device,
    freeBytes: device.totalBytes,
    driverBytes: device.isUnified ? 0 : driverBytes,
  }));
  const largest = Math.max(0, ...cards.map((card) => budgetBytes(card)));
  if (largest < (wish.leastCardBytes ?? 0)) return null;
  const isUnified = cards.some((card) => card.isUnified);
  const isOnCard = largest > 0;
  if (wish.place === 'split') {
    if (fileBytes + computeBytes > hostBytes) return null;
    const isWhole = fileBytes + computeBytes + goodTokens * (model.contextBytesPerToken ?? 24 * 1024) <= largest;
    return {
      file,
      place: isWhole ? 'card' : 'card-and-ram',
      tokens: goodTokens,
      isPlanned: false,
      onDevice: isWhole ? 1 : Math.min(1, largest / fileBytes),
    };
  }
  const place = !isOnCard ? 'ram' : isUnified ? 'unified' : 'card';
  const memory = memoryOf(model, file, sources.known);
  const base = { file, place, onDevice: isOnCard ? 1 : 0 } as const;
  if (memory !== null) {
    const granted = planMemory(memory, { ...plain, cards, hostFreeBytes: machine.host.totalBytes * hostShare });
    const isWhole = isOnCard ? granted.placement === 'devices' : granted.placement === 'host';
    return isWhole ? { ...base, tokens: granted.context, isPlanned: file.bytes !== null } : null;
  }
  const room = (isOnCard ? largest : hostBytes) - fileBytes - computeBytes;
  const tokens = Math.floor(room / (model.contextBytesPerToken ?? assumedBytesPerToken));
  return tokens <= 0 ? null : { ...base, tokens: Math.min(tokens, model.contextTokens ?? tokens), isPlanned: false };
}

const plain = {
  askedTokens: null,
  cacheType: 'f16',
  flashAttention: true,
  ubatchTokens: 512,
  slots: 1,
  unified: false,
  draftTokens: 0,
  engine: 'node-llama-cpp',
} as const;

function memoryOf(model: OfferedModel, file: OfferedFile, known: readonly KnownHeader[]): ModelMemory | null {
  const header = known.find(({ name }) => name === model.header);
  if (header === undefined || file.aboutBytes === null) return null;
  const weights = { totalBytes: file.aboutBytes, inputBytes: null, isTied: header.tiedEmbeddings, layers: null };
  const read = readModelMemory({ keys: header.keys, vocabulary: null, weights });
  return read.known ? read.memory : null;
}

interface Found {
  readonly role: SuggestedRole;
  readonly wish: Wish;
  readonly model: OfferedModel;
  readonly fit: Fit;
}

function described({ role, wish, model, fit }: Found, { machine, sources }: Asked): SuggestedModel {
  const { file } = fit;
  const own = `llama-cpp/${basename(file.file, '.gguf')}`;
  const server = serverNameOf(file);
  const tag = model.ollama === null ? null : `ollama/${model.ollama.tag}`;
  return {
    role,
    id: model.id,
    label: model.label,
    quantization: file.quantization,
    source: `hf:${file.repository}/${file.file}`,
    model: own,
    readyAs:
      [fit.place === 'card-and-ram' ? server : null, own, tag].find(
        (id) => id !== null && sources.ready.includes(id),
      ) ?? null,
    ollama: tag,
    sizeBytes: file.bytes ?? file.aboutBytes,
    isSizeExact: file.bytes !== null,
    ...(model.projector === null ? {} : { projector: { bytes: model.projector.bytes } }),
    license: model.license,
    place: fit.place,
    contextTokens: fit.tokens,
    isContextPlanned: fit.isPlanned,
    ...expectedSpeed({
      place: fit.place,
      fileBytes: file.aboutBytes ?? 0,
      parametersB: model.parametersB,
      activeB: model.activeB,
      onDevice: fit.onDevice,
      expertsRead: expertsReadOf(model, sources.known),
      machine,
    }),
    why: wish.why,
    scores: [...model.scores]
      .sort((left, right) => rankOf(left.by) - rankOf(right.by))
      .slice(0, 3)
      .map(({ bench, value, by }) => ({ bench, value, by })),
    limits: limitsOf(role, model, tag),
    notes: notesOf(model, fit),
  };
}

/** Independent measurements come first: what makers claim is ten to twenty points higher. */
function rankOf(by: SuggestedModel['scores'][number]['by']): number {
  return ['outside', 'mixed', 'rival', 'maker'].indexOf(by);
}

const serverNameOf = ({ file }: OfferedFile): string => `llama-server/${basename(file, '.gguf')}`;

/** For a mixture of experts, the share of its experts that one token reads. Null: its header does not say. */
export function expertsReadOf({ header }: OfferedModel, known: readonly KnownHeader[]): number | null {
  const keys = known.find(({ name }) => name === header)?.keys;
  const architecture = String(keys?.['general.architecture']);
  const [used, count] = ['expert_used_count', 'expert_count'].map((key) => Number(keys?.[`${architecture}.${key}`]));
  return used === undefined || count === undefined || !(used > 0 && count > used) ? null : used / count;
}

function limitsOf(role: SuggestedRole, model: OfferedModel, tag: string | null): readonly string[] {
  return [
    ...(role === 'chat' && model.projector !== null
      ? [
          `The built-in engine reads text only. For pictures, use ${tag === null ? '' : `Ollama: ${tag}, or `}your own llama-server. It uses the projector, which comes with the download.`,
        ]
      : []),
    ...(model.engines.includes('llama-cpp') ? [] : ['The built-in engine has no chat format for it yet. Use Ollama.']),
  ];
}

function notesOf(model: OfferedModel, { place, file }: Fit): readonly string[] {
  const server = serverNameOf(file);
  return [
    ...(place === 'card-and-ram'
      ? [
          `It needs about ${sizeText(file.aboutBytes ?? 0)} of main memory. To keep only its experts there, which is faster, install llama.cpp, run \`dewpoint settings set providers.llama-server '{"kind": "llama-server"}'\`, and use \`${server}\`. The built-in engine keeps whole layers there.`,
        ]
      : []),
    `${file.quantization}: ${lossOf(file)}.`,
    ...(model.badBefore === null ? [] : [`A file from before ${model.badBefore.date} must be downloaded again.`]),
    ...(file.bytes === null || file.sha256 === null
      ? ['Its exact size or hash was not seen. The hub is asked before the download.']
      : []),
  ];
}
