import type { CacheType, EngineProfile, GrantedMemoryPlan } from '@shared/models/memory-estimate.ts';
import { computeBytes } from './estimate/compute-memory.ts';
import { contextBytesOfLayers, countCells, refusedCache } from './estimate/context-memory.ts';
import type { ContextRequest } from './estimate/context-memory.ts';
import { engineContext, mayQuantise } from './estimate/model-memory.ts';
import type { ModelMemory, ModelWeights } from './estimate/model-memory.ts';
import { largestThatHolds } from './binary-search.ts';
import { placeLayers } from './place-layers.ts';
import type { Placement } from './place-layers.ts';

/** A device that can hold layers. Bytes. */
export interface Card {
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /**
   * What the driver will take when the engine starts on the card. 0 if that is unknown or counted as used already.
   */
  readonly driverBytes: number;
  /** It shares its memory with the host (Apple), so what is on the host counts against it, too. */
  readonly isUnified: boolean;
}

export interface MemoryPlanRequest extends Omit<ContextRequest, 'contextTokens' | 'cacheType'> {
  /** For all slots together. Null: as much as is useful and fits. */
  readonly askedTokens: number | null;
  /** Null: f16, or q8_0 if that gains a step. */
  readonly cacheType: CacheType | null;
  readonly engine: EngineProfile;
  readonly cards: readonly Card[];
  /** Free memory of the host. Null: it is not considered. */
  readonly hostFreeBytes: number | null;
}

const kibi = 1024;
const mebi = 1024 * kibi;
/** The smallest usable context. llama.cpp's own fit does not go lower either. */
export const leastTokens = 4096;
/**
 * The context size up to which more is useful. A processor reads some ten to hundred tokens a second, so nobody
 * would wait for a longer prompt.
 */
export const usefulTokens = { card: 65_536, processor: 8_192 } as const;
/** The engine rounds a context up to a multiple of this. */
const cellStep = 256;
const steps = { aim: 64 * kibi, accept: 32 * kibi, warn: 16 * kibi } as const;

/** What stays free on a card: the larger of 300 MiB and 3 %, plus what the driver will take. */
export function marginBytes(card: Card): number {
  return Math.max(300 * mebi, Math.ceil(card.totalBytes * 0.03)) + card.driverBytes;
}

export function budgetBytes(card: Card): number {
  return Math.max(0, Math.min(card.freeBytes, card.totalBytes) - marginBytes(card));
}

/**
 * Plans context, KV type and the placement of layers for given cards. Pure. It follows the order of what hurts
 * least: everything on the cards before a longer context, f16 before q8_0, and experts on the host before whole
 * layers if the engine has an option for it. Every card is counted separately, never as a sum. It takes at most a
 * few hundred evaluations of closed formulas.
 */
export function planMemory(memory: ModelMemory, request: MemoryPlanRequest): GrantedMemoryPlan {
  const ceiling = ceilingOf(memory, request);
  const search: Search = { memory, request, ceiling, least: Math.min(leastTokens, ceiling) };
  const { weights } = memory;
  if (weights === null) return unplanned(search);
  if (request.cards.length > 0) {
    for (const placement of placements[request.engine]) {
      const found = bestCache(search, (type) => largest(search, type, placement));
      if (found !== null) return describe(search, found, placement);
    }
  }
  return onHost(search, weights);
}

/** The placements that each engine supports, best first. node-llama-cpp has no option for experts alone. */
const placements = {
  'llama-server': ['devices', 'experts-on-host', 'partly-on-host'],
  'node-llama-cpp': ['devices', 'partly-on-host'],
} as const satisfies Readonly<Record<EngineProfile, readonly GrantedMemoryPlan['placement'][]>>;

interface Search {
  readonly memory: ModelMemory;
  readonly request: MemoryPlanRequest;
  readonly ceiling: number;
  readonly least: number;
}

interface Found {
  readonly tokens: number;
  readonly type: CacheType;
  readonly placed: Placement;
}

/** The requested size, up to the size that the model was trained for. */
function ceilingOf({ trainedTokens }: ModelMemory, { askedTokens, slots, unified }: MemoryPlanRequest): number {
  const streams = unified ? 1 : Math.max(1, slots);
  const trained = trainedTokens === null ? null : trainedTokens * streams;
  return Math.min(askedTokens ?? trained ?? steps.aim, trained ?? Number.POSITIVE_INFINITY);
}

function contextRequest({ request, memory }: Search, contextTokens: number, cacheType: CacheType): ContextRequest {
  const { flashAttention, ubatchTokens, slots, unified, draftTokens, outputs = 1 } = request;
  const asked = { contextTokens, cacheType, flashAttention, ubatchTokens, slots, unified, draftTokens, outputs };
  return engineContext(memory, request.engine, asked);
}

/** Uses f16 if it reaches the wanted size, and q8_0 if that gains a step. A requested type is always used. */
function bestCache(search: Search, find: (type: CacheType) => Found | null): Found | null {
  const { request, memory, ceiling } = search;
  const allowed = (type: CacheType): boolean =>
    refusedCache(memory.context, memory.headWidths, { cacheType: type, flashAttention: request.flashAttention }) ===
    null;
  if (request.cacheType !== null) return allowed(request.cacheType) ? find(request.cacheType) : null;
  const plain = find('f16');
  const wanted = Math.min(ceiling, request.askedTokens ?? steps.aim);
  if (plain !== null && plain.tokens >= wanted) return plain;
  if (!mayQuantise(memory, 'q8_0') || !allowed('q8_0')) return plain;
  const quantised = find('q8_0');
  if (quantised === null) return plain;
  return plain === null || stepOf(quantised.tokens, wanted) > stepOf(plain.tokens, wanted) ? quantised : plain;
}

function stepOf(tokens: number, wanted: number): number {
  return [leastTokens, 8 * kibi, steps.warn, steps.accept, steps.aim, wanted].filter((step) => tokens >= step).length;
}

/**
 * The largest context, in steps of the engine's padding, that this placement has room for. Null: not even the least
 * fits.
 */
function largest(
  search: Search,
  type: CacheType,
  placement: Exclude<GrantedMemoryPlan['placement'], 'host' | 'nowhere'>,
): Found | null {
  const { least, request } = search;
  // If not everything is on the cards, more layers there are worth more than a longer context.
  const useful = placement === 'devices' ? search.ceiling : (request.askedTokens ?? steps.aim);
  const ceiling = Math.min(search.ceiling, useful);
  const at = (tokens: number): Found | null => {
    const placed = place(search, contextRequest(search, tokens, type), placement);
    return placed === null ? null : { tokens, type, placed };
  };
  const whole = at(ceiling);
  if (whole !== null) return whole;
  const smallest = at(least);
  if (smallest === null) return null;
  const first = Math.floor(least / cellStep);
  const end = Math.ceil(ceiling / cellStep);
  const holds = (step: number): boolean => at(step * cellStep) !== null;
  let last = largestThatHolds(first, end, holds);
  // A longer context may need a smaller buffer if the engine's allocator finds a better place. So some longer sizes
  // are tried, too.
  for (const further of [2, 4, 8, 16, 32, 64])
    if (last + further < end && holds(last + further)) last = largestThatHolds(last + further, end, holds);
  return last === first ? smallest : at(last * cellStep);
}

function place(
  { memory, request }: Search,
  context: ContextRequest,
  placement: Exclude<GrantedMemoryPlan['placement'], 'host' | 'nowhere'>,
): Placement | null {
  if (memory.weights === null) return null;
  const compute = computeBytes(memory.compute, countCells(memory.context, context), context, request.engine);
  return placeLayers({
    weights: memory.weights,
    layerCount: memory.layerCount,
    contextBytes: contextBytesOfLayers(memory.context, context),
    computeBytes: compute,
    copiesBytes: copiesBytes({ memory, request }, context, placement),
    cards: request.cards.map((card) => ({ budgetBytes: budgetBytes(card), isUnified: card.isUnified })),
    hostFreeBytes: request.hostFreeBytes === null ? null : hostBudget(request.hostFreeBytes),
    expertShare: memory.expertShare,
    placement,
  });
}

/**
 * Bytes of extra copies of a batch's inputs (masks and embeddings). Full offload to several devices turns on
 * pipelining, which has four copies.
 */
function copiesBytes(
  { memory, request }: Pick<Search, 'memory' | 'request'>,
  context: ContextRequest,
  placement: GrantedMemoryPlan['placement'],
): number {
  const batch = Math.min(context.ubatchTokens, context.contextTokens);
  const embeddings = 4 * memory.compute.width;
  // The values that a layer in main memory passes to the next one on the card.
  if (placement === 'partly-on-host') return batch * embeddings;
  if (placement !== 'devices' || request.cards.length < 2) return 0;
  return 3 * batch * (maskBytes(memory, context) + embeddings);
}

function maskBytes(memory: ModelMemory, context: ContextRequest): number {
  const cells = countCells(memory.context, context);
  return (cells.full + (memory.compute.hasWindow ? cells.window : 0)) * (context.flashAttention ? 2 : 4);
}

function describe(
  search: Search,
  { tokens, type, placed }: Found,
  placement: 'devices' | 'experts-on-host' | 'partly-on-host',
): GrantedMemoryPlan {
  const { request, memory } = search;
  const where = {
    devices:
      request.cards.length === 1 ? 'everything fits on the card' : `everything fits on ${request.cards.length} cards`,
    'experts-on-host': `the experts${placed.hostExperts < memory.layerCount ? ` of ${placed.hostExperts} of ${memory.layerCount} layers` : ''} are in main memory, everything else is on the card`,
    'partly-on-host': `${placed.gpuLayers} of ${memory.layerCount + 1} layers are on the card, the rest is in main memory, which is slow`,
  }[placement];
  return {
    context: tokens,
    kv: type,
    gpuLayers: placed.gpuLayers,
    ...(placed.hostExperts === 0 ? {} : { hostExperts: placed.hostExperts }),
    placement,
    devices: placed.devices.map((device, index) => ({
      name: request.cards[index]?.name ?? `card ${index}`,
      layers: device.layers,
      bytes: Math.ceil(device.bytes),
      budgetBytes: device.budgetBytes,
    })),
    hostBytes: Math.ceil(placed.hostBytes),
    reason: reasonOf(search, tokens, where),
    warnings: warningsOf(search, tokens, type, placement),
  };
}

function reasonOf({ request, memory }: Search, tokens: number, where: string): string {
  const { askedTokens } = request;
  const { trainedTokens } = memory;
  if (askedTokens === null) {
    const length =
      tokens === trainedTokens
        ? 'its full trained length'
        : tokens === steps.aim
          ? 'enough for an agent'
          : 'the most that fits';
    return `${tokens} tokens, ${length}: ${where}.`;
  }
  if (tokens >= askedTokens) return `${tokens} tokens as asked: ${where}.`;
  const why =
    trainedTokens !== null && tokens >= trainedTokens
      ? `it was trained for ${trainedTokens}`
      : 'more does not fit beside the weights and the margin';
  return `Asked ${askedTokens}, granted ${tokens} tokens, because ${why}: ${where}.`;
}

function warningsOf(
  { request }: Search,
  tokens: number,
  type: CacheType,
  placement: GrantedMemoryPlan['placement'],
): readonly string[] {
  const perSlot = request.unified ? tokens : Math.floor(tokens / Math.max(1, request.slots));
  return [
    ...(perSlot < steps.warn ? [`${perSlot} tokens are few for an agent. ${steps.accept} or more are better.`] : []),
    ...(request.cacheType === null && type !== 'f16'
      ? [`The cache is kept as ${type}, because that buys a longer context.`]
      : []),
    ...(placement === 'partly-on-host' ? ['A shorter context or a smaller model would run on the card alone.'] : []),
  ];
}

/** Everything on the host: there is no card, or none can hold a part. */
function onHost(search: Search, weights: ModelWeights): GrantedMemoryPlan {
  const { memory, request, ceiling, least } = search;
  const cardsSaid = request.cards.length > 0 ? 'No card has room for a part of it' : 'There is no card';
  const bytesAt = (tokens: number, type: CacheType): number => {
    const context = contextRequest(search, tokens, type);
    const kept = contextBytesOfLayers(memory.context, context).reduce((sum, bytes) => sum + bytes, 0);
    const compute = computeBytes(memory.compute, countCells(memory.context, context), context, request.engine);
    return weights.totalBytes + kept + compute;
  };
  const type = request.cacheType ?? 'f16';
  const budget = request.hostFreeBytes === null ? Number.POSITIVE_INFINITY : hostBudget(request.hostFreeBytes);
  let tokens = ceiling;
  if (bytesAt(ceiling, type) > budget) {
    const fitsAt = (step: number): boolean => bytesAt(step * cellStep, type) <= budget;
    tokens = largestThatHolds(Math.floor(least / cellStep) - 1, Math.ceil(ceiling / cellStep), fitsAt) * cellStep;
  }
  const fits = tokens >= least;
  return {
    context: fits ? tokens : 0,
    kv: type,
    gpuLayers: 0,
    placement: fits ? 'host' : 'nowhere',
    devices: request.cards.map((card) => ({ name: card.name, layers: 0, bytes: 0, budgetBytes: budgetBytes(card) })),
    hostBytes: fits ? bytesAt(tokens, type) : null,
    ...(fits ? copiesOf(request.engine, weights) : {}),
    reason: fits
      ? reasonOf(search, tokens, `${cardsSaid.toLowerCase()}, so it runs on the processor`)
      : `${cardsSaid}, and main memory is too small for the model.`,
    warnings: fits ? warningsOf(search, tokens, type, 'host') : ['Use a smaller model, or a stronger quantization.'],
  };
}

/**
 * The copies in the processor's layout. They replace mapped pages that are no longer used, so the memory that must
 * be free stays the same.
 */
function copiesOf(engine: EngineProfile, { copiedBytes }: ModelWeights): Pick<GrantedMemoryPlan, 'copied'> {
  if (engine !== 'node-llama-cpp' || copiedBytes === undefined) return {};
  const why = 'bounded: weights in a layout of the processor, beside the mapped file, whose pages can be dropped';
  return { copied: { name: 'copies', bytes: copiedBytes, why } };
}

/** Keeps a tenth of the host's free memory, but at least 1 GiB, for everything else that runs. */
export function hostBudget(freeBytes: number): number {
  return Math.max(0, freeBytes - Math.max(1024 * mebi, Math.ceil(freeBytes * 0.1)));
}

function unplanned({ request, ceiling }: Search): GrantedMemoryPlan {
  return {
    context: ceiling,
    kv: request.cacheType ?? 'f16',
    gpuLayers: 0,
    placement: 'nowhere',
    devices: [],
    hostBytes: null,
    reason: 'The size of the weights is unknown, so a card cannot be planned. Add weights_bytes.',
    warnings: [],
  };
}

/**
 * A rule of thumb, marked as such: 8 GB about 8k, 16 GB about 32k, 24 GB about 128k. Used only if nothing can be
 * computed.
 */
export function ruleOfThumb(cardBytes: number): number {
  const gigabytes = cardBytes / 1e9;
  if (gigabytes >= 23) return 128 * kibi;
  if (gigabytes >= 15) return 32 * kibi;
  if (gigabytes >= 7.5) return 8 * kibi;
  return leastTokens;
}
