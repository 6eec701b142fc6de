import { loadSizeOf } from '@shared/models/load-size.ts';
import type { LoadSize } from '@shared/models/load-size.ts';
import type { CacheType, GrantedMemoryPlan } from '@shared/models/memory-estimate.ts';
import { batchTokens } from './batch-tokens.ts';
import type { HeldModel, EngineOccupant } from '../engine/local-engines.ts';
import { sumHeldMemory } from '../engine/local-engines.ts';
import { readAdapted, stampOf } from './gguf/gguf-header-reader.ts';
import type { ReadHeader } from './gguf/gguf-header-reader.ts';
import type { Hardware } from '../machine/hardware.ts';
import { leastTokens, planMemory, usefulTokens } from './memory-plan.ts';
import type { LoadStep, LoadSteps } from './load-steps.ts';
import { ranOutOfMemory } from './load-steps.ts';
import { estimateMemory, readModelMemory } from './estimate/model-memory.ts';
import type { ModelMemory } from './estimate/model-memory.ts';
import { adjustFreeMemory } from '../machine/adjust-free-memory.ts';
import { basename } from 'node:path';
import type { LlamaEngine } from '../engine/llama-engine.ts';

export interface ContextWish {
  /** Tokens of one conversation; null: what is useful on such a machine. */
  readonly askedTokens: number | null;
  /** Conversations that keep their tokens at the same time. */
  readonly sequences: number;
  readonly gpu: 'auto' | 'off';
  /** An adapter on it, whose weights lie beside those that they change; absent: none. */
  readonly adapterPath?: string;
}

/** What a model is loaded with, and why. Tokens of one conversation. */
export interface ContextGrant {
  readonly askedTokens: number;
  readonly grantedTokens: number;
  readonly sequences: number;
  /** Of what a cell of the context is made. */
  readonly cacheType: CacheType;
  /** Of weights, context and compute buffers; null where it was not computed. */
  readonly predictedBytes: number | null;
  /** Of its own, beside the mapped weights: context, buffers, copied weights; 0 where it was not computed. */
  readonly ownBytes: number;
  /** Where the plan puts the weights; null where there is none. */
  readonly placement: GrantedMemoryPlan['placement'] | null;
  /** Layers on the cards, by the plan; null where the engine is to decide, for there is no plan or no option for it. */
  readonly gpuLayers: number | null;
  /** The plan uses a card; a backend of `cpu` is then unexpected. */
  readonly expectsCard: boolean;
  /** Why it is less than was asked, or not where it could be; null where there is nothing to say. */
  readonly why: string | null;
  /** It is one step smaller than planned, for the engine ran out of memory before; there is no second step. */
  readonly isSmaller: boolean;
}

/** Decides once for each load; the same answer as long as the engine's process lives, for a new one loads the model again. */
export type GrantContext = (path: string, wish: ContextWish) => Promise<ContextGrant>;

/**
 * To be called when the engine ran out of memory with what was granted: grants one step less from now on, also after a
 * restart. Null where a step was made before, or there is none: then it does not fit.
 */
export type StepDown = (
  path: string,
  wish: ContextWish,
  failure: { readonly isProcessGone?: boolean | undefined },
) => Promise<ContextGrant | null>;

export interface ContextGrants {
  readonly grant: GrantContext;
  readonly stepDown: StepDown;
  /** Whether a load as it was granted has room while what other engines hold stays where it is. */
  readonly fitsBeside: FitsBeside;
  /** What the model that is loaded takes; null where nobody asked for it. */
  readonly taken: (path: string) => Promise<Omit<HeldModel, 'model'> | null>;
}

export type FitsBeside = (path: string, wish: ContextWish) => Promise<boolean>;

export interface GrantContextOptions {
  readonly steps: LoadSteps;
  readonly now: () => number;
  readonly readHeader: ReadHeader;
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
  /** Of the engine's process; null while none runs. */
  readonly enginePid: () => number | null;
  /** The model file that the process holds; null: none. */
  readonly loadedPath: () => string | null;
  /** The adapter on it; null or absent: none. */
  readonly loadedAdapter?: () => string | null;
  /** What other engines of this machine hold; absent: there are none. */
  readonly others?: (signal: AbortSignal) => Promise<readonly HeldModel[]>;
}

interface Decision {
  /** Null until a process runs that it was made for. */
  pid: number | null;
  readonly grant: Promise<ContextGrant>;
}

/**
 * Free memory is read right before a load, and not again while the model that was loaded takes its part of it. Another
 * model is planned as if the one before were gone, for the engine holds one at a time, and as if the models of other
 * engines were: they leave where it does not fit beside them.
 */
export function createGrantContext(options: GrantContextOptions): ContextGrants {
  const { readHeader, readHardware, enginePid, loadedPath, steps } = options;
  const made = new Map<string, Decision>();
  const latest = new Map<string, Promise<ContextGrant>>();
  const others = options.others ?? (() => Promise.resolve([]));
  /** What this engine gives back when it loads the model of `path`. */
  const before = async (path: string, { adapterPath }: ContextWish): Promise<ContextGrant | null> => {
    const loadedFile = enginePid() === null ? null : loadedPath();
    const loaded = loadedFile === null ? null : loadOf(loadedFile, options.loadedAdapter?.());
    return loaded === null || loaded === loadOf(path, adapterPath) ? null : ((await latest.get(loaded)) ?? null);
  };
  const grant: GrantContext = async (path, wish) => {
    const key = await keyOf(path, wish);
    const pid = enginePid();
    const known = made.get(key);
    if (known !== undefined && (known.pid === null || known.pid === pid)) {
      known.pid = pid;
      latest.set(loadOf(path, wish.adapterPath), known.grant);
      return known.grant;
    }
    const granted = decideNow(path, wish, (held) => ({ hostBytes: held.hostBytes, cardBytes: held.cardBytes }));
    made.set(key, { pid, grant: granted });
    latest.set(loadOf(path, wish.adapterPath), granted);
    return granted;
  };
  const decideNow = async (path: string, wish: ContextWish, givenBack: GivenBack): Promise<ContextGrant> => {
    const limit = AbortSignal.timeout(hardwareMs);
    const [header, hardware, held] = await Promise.all([
      readAdapted(readHeader, path, wish.adapterPath),
      readHardware(limit),
      others(limit),
    ]);
    const step = await steps.find(`${await keyOf(path, wish)} ${machineOf(hardware)}`);
    const own = released(hardware, await before(path, wish));
    return decide(header, { ...wish, step }, adjustFreeMemory(own, givenBack(sumHeldMemory(held))));
  };
  const fitsBeside: FitsBeside = async (path, wish) => {
    if ((await others(AbortSignal.timeout(hardwareMs))).length === 0) return true;
    const granted = await grant(path, wish);
    // Weights that are mapped are called free, and two models that push each other's out crawl.
    const now = await decideNow(path, wish, ({ mappedBytes }) => ({ hostBytes: -mappedBytes, cardBytes: 0 }));
    return isAsGood(now, granted);
  };
  const stepDown: StepDown = async (path, wish, { isProcessGone = false }) => {
    const now = await grant(path, wish);
    const smaller = now.isSmaller ? null : oneSmaller(now, isProcessGone);
    if (smaller === null) return null;
    const key = await keyOf(path, wish);
    const hardware = await readHardware(AbortSignal.timeout(hardwareMs));
    await steps.note(`${key} ${machineOf(hardware)}`, { ...smaller, before: loadSizeOf(now), at: options.now() });
    made.delete(key);
    return grant(path, wish);
  };
  return {
    grant,
    stepDown,
    fitsBeside,
    taken: async (path) => {
      const granted = await latest.get(loadOf(path, options.loadedAdapter?.()));
      return granted === undefined ? null : takenBy(granted);
    },
  };
}

/** A model with an adapter is another load than without. */
const loadOf = (path: string, adapterPath: string | null | undefined): string =>
  (adapterPath ?? null) === null ? path : `${path} ${adapterPath}`;

/** Without an adapter as it always was, for smaller loads are kept under it. */
async function keyOf(path: string, wish: ContextWish): Promise<string> {
  const own = wish.adapterPath === undefined ? [] : [await stampOf(wish.adapterPath)];
  return JSON.stringify([path, await stampOf(path), wish, ...own]);
}

function takenBy({ predictedBytes, expectsCard, ownBytes }: ContextGrant): Omit<HeldModel, 'model'> {
  const all = predictedBytes ?? 0;
  if (expectsCard) return { hostBytes: 0, mappedBytes: 0, cardBytes: all };
  return { hostBytes: ownBytes, mappedBytes: Math.max(0, all - ownBytes), cardBytes: 0 };
}

function isAsGood(now: ContextGrant, granted: ContextGrant): boolean {
  return (
    now.placement !== null &&
    now.placement !== 'nowhere' &&
    now.grantedTokens >= granted.grantedTokens &&
    now.sequences >= granted.sequences &&
    now.placement === granted.placement
  );
}

type GivenBack = (held: Omit<HeldModel, 'model'>) => { readonly hostBytes: number; readonly cardBytes: number };

/**
 * Layers on a card are given up first where the engine, which lives, says that there is no room: it sees more of the
 * card than the plan does, and has tried fewer conversations already. Where it died, other conversations go before
 * length does, and no more layers go to the card instead. Below the least context there is nothing to give up.
 */
function oneSmaller({ grantedTokens, sequences, gpuLayers }: ContextGrant, isProcessGone: boolean): LoadSize | null {
  const isOnCard = gpuLayers !== null && gpuLayers > 0;
  if (isOnCard && !isProcessGone) return { grantedTokens, sequences, gpuLayers: null };
  const most = isOnCard ? { gpuLayers } : {};
  if (sequences > 1 && isProcessGone) return { grantedTokens, sequences: 1, ...most };
  if (grantedTokens <= leastTokens) return null;
  return { grantedTokens: Math.max(leastTokens, Math.floor(grantedTokens / 512) * 256), sequences: 1, ...most };
}

/** The cards and the memory of this machine, not what is free of them. */
function machineOf({ devices, host }: Hardware): string {
  return JSON.stringify([devices.map(({ name, totalBytes }) => [name, totalBytes]), host.totalBytes]);
}

/** What the model that is loaded now gives back. Weights on the host are a mapped file and count as free already. */
function released(hardware: Hardware, before: ContextGrant | null): Hardware {
  if (before === null) return hardware;
  const { expectsCard, ownBytes, predictedBytes } = before;
  if (!expectsCard) return adjustFreeMemory(hardware, { hostBytes: ownBytes, cardBytes: 0 });
  return adjustFreeMemory(hardware, { hostBytes: 0, cardBytes: predictedBytes ?? 0 });
}

function decide(
  header: Awaited<ReturnType<ReadHeader>>,
  wish: ContextWish & { readonly step: LoadStep | null },
  hardware: Hardware,
): ContextGrant {
  const { step } = wish;
  const cards = wish.gpu === 'off' ? [] : hardware.devices;
  const useful = cards.length > 0 ? usefulTokens.card : usefulTokens.processor;
  const trained = header.ok ? header.value.contextTokens : null;
  const askedTokens = wish.askedTokens ?? Math.min(useful, trained ?? useful);
  const trainedMost = Math.min(askedTokens, trained ?? askedTokens);
  const most = Math.min(trainedMost, step?.grantedTokens ?? trainedMost);
  const reasons = [
    ...(step !== null ? [smallerBecause(step)] : most < askedTokens ? [`it was trained for ${most} tokens`] : []),
    ...(hardware.unused === undefined || wish.gpu === 'off' ? [] : [hardware.unused]),
  ];
  const uncounted: ContextGrant = {
    askedTokens,
    grantedTokens: most,
    sequences: Math.min(wish.sequences, step?.sequences ?? wish.sequences),
    cacheType: 'f16',
    predictedBytes: null,
    ownBytes: 0,
    placement: null,
    gpuLayers: null,
    expectsCard: cards.length > 0,
    why: reasons.length === 0 ? null : reasons.join('; '),
    isSmaller: step !== null,
  };
  // A file that cannot be read is the engine's to refuse, with its reason.
  const memory = header.ok ? readModelMemory(header.value.facts) : null;
  if (memory === null || !memory.known) return uncounted;
  const grant = fitted(memory.memory, uncounted, { ...hardware, devices: cards });
  return { ...grant, gpuLayers: layersAfter(step, grant.gpuLayers) };
}

function layersAfter(step: LoadStep | null, planned: number | null): number | null {
  if (step?.gpuLayers === undefined || planned === null) return planned;
  return step.gpuLayers === null ? null : Math.min(planned, step.gpuLayers);
}

function smallerBecause(step: LoadStep): string {
  const since = step.gpuLayers === null ? '; since then as many layers are on the card as it finds room for' : '';
  return `${ranOutOfMemory(step, 'its engine')}${since}`;
}

interface Fitted extends Pick<GrantedMemoryPlan, 'placement' | 'reason' | 'gpuLayers' | 'kv'> {
  readonly sequences: number;
  readonly tokens: number;
  readonly copied: number;
}

/**
 * As many conversations as were wished for, or one where that is what makes the length possible; and smaller cells
 * where the plan gets a step longer with them, even so.
 */
function fitted(memory: ModelMemory, wished: ContextGrant, hardware: Hardware): ContextGrant {
  const ubatchTokens = hardware.devices.length > 0 ? batchTokens.card : batchTokens.processor;
  const made = { flashAttention: true, ubatchTokens, unified: false, draftTokens: 0 } as const;
  const engine = 'node-llama-cpp';
  const at = (sequences: number, cacheType: 'f16' | null): Fitted => {
    const plan = planMemory(memory, {
      ...made,
      cacheType,
      askedTokens: wished.grantedTokens * sequences,
      slots: sequences,
      engine,
      cards: hardware.devices,
      hostFreeBytes: hardware.host.freeBytes,
    });
    const { context, copied, reason, placement, gpuLayers, kv } = plan;
    const tokens = Math.floor(context / sequences);
    return { sequences, tokens, copied: copied?.bytes ?? 0, reason, placement, gpuLayers, kv };
  };
  const isEnough = ({ tokens }: Fitted): boolean => tokens >= wished.grantedTokens;
  const best = firstThat(isEnough, [() => at(wished.sequences, 'f16'), () => at(1, 'f16')]) ?? at(1, null);
  const { sequences } = best;
  // Where by our count nothing fits, the engine is still asked, for the least: it knows better, and says so if not.
  const grantedTokens = best.tokens > 0 ? best.tokens : Math.min(leastTokens, wished.grantedTokens);
  const { totalBytes, contextBytes, computeBytes } = estimateMemory(memory, {
    engine,
    context: { ...made, cacheType: best.kv, contextTokens: grantedTokens * sequences, slots: sequences },
  });
  const isLess = grantedTokens < wished.grantedTokens;
  // A card without room for it is no surprise, but has to be said.
  const isBesideCard = wished.expectsCard && best.placement === 'host';
  const because = isLess
    ? best.reason
    : isBesideCard
      ? 'no card has room for a part of it, so it runs on the processor'
      : null;
  return {
    ...wished,
    expectsCard: wished.expectsCard && !isBesideCard,
    grantedTokens,
    sequences,
    cacheType: best.kv,
    predictedBytes: totalBytes,
    ownBytes: (contextBytes ?? 0) + (computeBytes ?? 0) + best.copied + (memory.weights?.adapterBytes ?? 0),
    placement: best.placement,
    gpuLayers: isPlaced(best, hardware) ? best.gpuLayers : null,
    why: [wished.why, because].filter((reason) => reason !== null).join('; ') || null,
  };
}

function firstThat<T>(holds: (value: T) => boolean, tries: readonly (() => T)[]): T | null {
  for (const make of tries) {
    const value = make();
    if (holds(value)) return value;
  }
  return null;
}

/** Where nothing fits, the engine may know better. */
function isPlaced({ placement }: Fitted, { devices }: Hardware): boolean {
  return devices.length > 0 && placement !== 'nowhere';
}

/** A tool of a vendor that hangs must not hold up a call. */
const hardwareMs = 5_000;

/** The engine inside Dewpoint, among the engines of this machine. */
export function createLlamaOccupant(
  llama: Pick<LlamaEngine, 'loadedPath' | 'release'>,
  context: Pick<ContextGrants, 'taken'>,
): EngineOccupant {
  return {
    held: async () => {
      const path = llama.loadedPath();
      const taken = path === null ? null : await context.taken(path);
      return path === null || taken === null ? [] : [{ model: nameOf(path), ...taken }];
    },
    unload: async () => {
      const path = llama.loadedPath();
      if (path !== null) await llama.release(path);
    },
  };
}

function nameOf(path: string): string {
  return `llama-cpp/${basename(path).replace(/\.gguf$/i, '')}`;
}
