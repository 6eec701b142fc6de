import { loadSizeOf } from './load-size.ts';
import type { LoadSize } from './load-size.ts';
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
  /** Tokens of one conversation. Null: use a size that suits this machine. */
  readonly askedTokens: number | null;
  /** The number of conversations that keep their tokens at the same time. */
  readonly sequences: number;
  readonly gpu: 'auto' | 'off';
  /** An adapter on it, whose weights need memory beside those of the model. Absent: none. */
  readonly adapterPath?: string;
}

/** How to load a model, and why. Tokens are for one conversation. */
export interface ContextGrant {
  readonly askedTokens: number;
  readonly grantedTokens: number;
  readonly sequences: number;
  /** The type of the cells in the context. */
  readonly cacheType: CacheType;
  /** Weights, context and compute buffers. Null: not computed. */
  readonly predictedBytes: number | null;
  /** Memory beyond the mapped weights: context, buffers and copied weights. 0 if it was not computed. */
  readonly ownBytes: number;
  /** Where the plan puts the weights. Null: there is no plan. */
  readonly placement: GrantedMemoryPlan['placement'] | null;
  /**
   * The planned number of layers on the cards. Null: the engine decides, because there is no plan or no option for
   * it.
   */
  readonly gpuLayers: number | null;
  /** The plan uses a card, so a backend of `cpu` is unexpected. */
  readonly expectsCard: boolean;
  /** Why it is less than was asked for, or elsewhere than possible. Null: nothing to say. */
  readonly why: string | null;
  /** It is one step smaller than planned, because the engine ran out of memory before. There is no second step. */
  readonly isSmaller: boolean;
}

/**
 * Decides once for each load. The answer stays the same while the engine's process lives, because only a new process
 * loads the model again.
 */
export type GrantContext = (path: string, wish: ContextWish) => Promise<ContextGrant>;

/**
 * Call this when the engine ran out of memory with a grant. From then on, also after a restart, one step less is
 * granted. Null if that was done before, or there is no smaller step: then the model does not fit.
 */
export type StepDown = (
  path: string,
  wish: ContextWish,
  failure: { readonly isProcessGone?: boolean | undefined },
) => Promise<ContextGrant | null>;

export interface ContextGrants {
  readonly grant: GrantContext;
  readonly stepDown: StepDown;
  /** Whether a granted load has room while other engines keep their models. */
  readonly fitsBeside: FitsBeside;
  /** The memory that the loaded model uses. Null if no grant for it was made. */
  readonly taken: (path: string) => Promise<Omit<HeldModel, 'model'> | null>;
}

export type FitsBeside = (path: string, wish: ContextWish) => Promise<boolean>;

export interface GrantContextOptions {
  readonly steps: LoadSteps;
  readonly now: () => number;
  readonly readHeader: ReadHeader;
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
  /** The id of the engine's process. Null while none runs. */
  readonly enginePid: () => number | null;
  /** The model file that the process has loaded. Null: none. */
  readonly loadedPath: () => string | null;
  /** The adapter on it. Null or absent: none. */
  readonly loadedAdapter?: () => string | null;
  /** What other engines of this machine hold. Absent: there are none. */
  readonly others?: (signal: AbortSignal) => Promise<readonly HeldModel[]>;
}

interface Decision {
  /** The process that the grant is for. Null until it runs. */
  pid: number | null;
  readonly grant: Promise<ContextGrant>;
}

/**
 * Grants context sizes. Free memory is read right before a load, and not while the loaded model uses a part of it. A
 * new model is planned as if the loaded one were gone, because the engine holds one at a time. It is also planned as
 * if the models of other engines were gone, because they are unloaded if it does not fit beside them.
 */
export function createGrantContext(options: GrantContextOptions): ContextGrants {
  const { readHeader, readHardware, enginePid, loadedPath, steps } = options;
  const made = new Map<string, Decision>();
  const latest = new Map<string, Promise<ContextGrant>>();
  const others = options.others ?? (() => Promise.resolve([]));
  /** The grant of the model that this engine will unload for the model of `path`. Null: none. */
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
    // The system counts mapped weights as free memory. But two models that push each other out of memory become very
    // slow, so they count as used.
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

/** Identifies a load. The same model with and without an adapter are two loads. */
const loadOf = (path: string, adapterPath: string | null | undefined): string =>
  (adapterPath ?? null) === null ? path : `${path} ${adapterPath}`;

/** Keeps the key of a model without an adapter unchanged, because smaller loads are stored under it. */
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
 * The next smaller load, or null. If the engine still runs and says that there is no room, it decides about the
 * layers on the card itself: it sees more of the card than the plan does, and has already tried fewer conversations.
 * If its process died, the other conversations are given up first, then length, and the number of layers on the card
 * stays. Below the least context, there is nothing to give up.
 */
function oneSmaller({ grantedTokens, sequences, gpuLayers }: ContextGrant, isProcessGone: boolean): LoadSize | null {
  const isOnCard = gpuLayers !== null && gpuLayers > 0;
  if (isOnCard && !isProcessGone) return { grantedTokens, sequences, gpuLayers: null };
  const most = isOnCard ? { gpuLayers } : {};
  if (sequences > 1 && isProcessGone) return { grantedTokens, sequences: 1, ...most };
  if (grantedTokens <= leastTokens) return null;
  return { grantedTokens: Math.max(leastTokens, Math.floor(grantedTokens / 512) * 256), sequences: 1, ...most };
}

/** Identifies the cards and the memory of this machine, but not what is free. */
function machineOf({ devices, host }: Hardware): string {
  return JSON.stringify([devices.map(({ name, totalBytes }) => [name, totalBytes]), host.totalBytes]);
}

/**
 * The hardware with the memory that the loaded model will free. Its weights on the host are a mapped file, which
 * counts as free already.
 */
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
  // If a file cannot be read, the engine refuses it with the reason.
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
 * Chooses the number of conversations and the cell type. It is the requested number, or one conversation if only
 * that makes the length possible. If even that is too short, smaller cells are used if they reach the next step.
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
  // If nothing fits by our estimate, the engine is still asked for the least context. It knows better, and reports a
  // failure.
  const grantedTokens = best.tokens > 0 ? best.tokens : Math.min(leastTokens, wished.grantedTokens);
  const { totalBytes, contextBytes, computeBytes } = estimateMemory(memory, {
    engine,
    context: { ...made, cacheType: best.kv, contextTokens: grantedTokens * sequences, slots: sequences },
  });
  const isLess = grantedTokens < wished.grantedTokens;
  // A card without enough room is no error, but the grant must say so.
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

/** Whether the plan decides about layers. If nothing fits by the plan, the engine decides. */
function isPlaced({ placement }: Fitted, { devices }: Hardware): boolean {
  return devices.length > 0 && placement !== 'nowhere';
}

/** The time limit for reading hardware, so that a hanging tool does not delay a call. */
const hardwareMs = 5_000;

/** The built-in engine, as one of this machine's engines. */
export function createLlamaOccupant(
  llama: Pick<LlamaEngine, 'loadedPath' | 'release'>,
  context: Pick<ContextGrants, 'taken'>,
): EngineOccupant {
  return {
    held: async () => {
      const path = llama.loadedPath();
      const taken = path === null ? null : await context.taken(path);
      return path === null || taken === null ? [] : [{ model: modelFileName(path), ...taken }];
    },
    unload: async () => {
      const path = llama.loadedPath();
      if (path !== null) await llama.release(path);
    },
  };
}

function modelFileName(path: string): string {
  return `llama-cpp/${basename(path).replace(/\.gguf$/i, '')}`;
}
