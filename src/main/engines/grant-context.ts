import { batchTokens } from './batch-tokens.ts';
import { stampOf } from './header-reader.ts';
import type { ReadHeader } from './header-reader.ts';
import type { Hardware } from './hardware.ts';
import { leastTokens, planMemory } from './memory-plan.ts';
import type { LoadStep, LoadSteps } from './load-steps.ts';
import { estimateMemory, readModelMemory } from './model-memory.ts';
import type { ModelMemory } from './model-memory.ts';

export interface ContextWish {
  /** Tokens of one conversation; null: what is useful on such a machine. */
  readonly askedTokens: number | null;
  /** Conversations that keep their tokens at the same time. */
  readonly sequences: number;
  readonly gpu: 'auto' | 'off';
}

/** What a model is loaded with, and why. Tokens of one conversation. */
export interface ContextGrant {
  readonly askedTokens: number;
  readonly grantedTokens: number;
  readonly sequences: number;
  /** Of weights, context and compute buffers; null where it was not computed. */
  readonly predictedBytes: number | null;
  /** Of its own, beside the mapped weights: context, buffers, copied weights; 0 where it was not computed. */
  readonly ownBytes: number;
  /** A card that could be used was found; a backend of `cpu` is then unexpected. */
  readonly expectsCard: boolean;
  /** Null where what was asked is what is granted. */
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
}

export interface GrantContextOptions {
  readonly steps: LoadSteps;
  readonly now: () => number;
  readonly readHeader: ReadHeader;
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
  /** Of the engine's process; null while none runs. */
  readonly enginePid: () => number | null;
}

/** A processor reads some ten to hundred tokens a second: a longer prompt would be waited for, not used. */
const usefulTokens = { card: 65_536, processor: 8_192 } as const;

interface Decision {
  /** Null until a process runs that it was made for. */
  pid: number | null;
  readonly grant: Promise<ContextGrant>;
}

/**
 * Free memory is read right before a load, and not again while the model that was loaded takes its part of it. Another
 * model is planned as if the one before were gone, for the engine holds one at a time.
 */
export function createGrantContext(options: GrantContextOptions): ContextGrants {
  const { readHeader, readHardware, enginePid, steps } = options;
  const made = new Map<string, Decision>();
  let last: Decision | null = null;
  const grant: GrantContext = async (path, wish) => {
    const key = JSON.stringify([path, await stampOf(path), wish]);
    const pid = enginePid();
    const known = made.get(key);
    if (known !== undefined && (known.pid === null || known.pid === pid)) {
      known.pid = pid;
      last = known;
      return known.grant;
    }
    const before = pid !== null && last?.pid === pid ? await last.grant : null;
    const granted = decideAnew(path, { wish, key, before });
    last = { pid, grant: granted };
    made.set(key, last);
    return granted;
  };
  const decideAnew = async (path: string, asked: Asked): Promise<ContextGrant> => {
    const [header, hardware] = await Promise.all([readHeader(path), readHardware(AbortSignal.timeout(hardwareMs))]);
    const step = await steps.find(`${asked.key} ${machineOf(hardware)}`);
    return decide(header, { ...asked.wish, step }, released(hardware, asked.before));
  };
  const stepDown: StepDown = async (path, wish, { isProcessGone = false }) => {
    const now = await grant(path, wish);
    const smaller = now.isSmaller ? null : oneSmaller(now, isProcessGone);
    if (smaller === null) return null;
    const key = JSON.stringify([path, await stampOf(path), wish]);
    const hardware = await readHardware(AbortSignal.timeout(hardwareMs));
    const { grantedTokens, sequences } = now;
    const before = { grantedTokens, sequences };
    await steps.note(`${key} ${machineOf(hardware)}`, { ...smaller, before, at: options.now() });
    made.delete(key);
    return grant(path, wish);
  };
  return { grant, stepDown };
}

/**
 * Other conversations are given up before length is, unless the engine, which lives, has tried that already. Below the
 * least context there is nothing to give up.
 */
function oneSmaller(
  { grantedTokens, sequences }: ContextGrant,
  isProcessGone: boolean,
): Pick<LoadStep, 'grantedTokens' | 'sequences'> | null {
  if (sequences > 1 && isProcessGone) return { grantedTokens, sequences: 1 };
  if (grantedTokens <= leastTokens) return null;
  return { grantedTokens: Math.max(leastTokens, Math.floor(grantedTokens / 512) * 256), sequences: 1 };
}

interface Asked {
  readonly wish: ContextWish;
  readonly key: string;
  readonly before: ContextGrant | null;
}

/** The cards and the memory of this machine, not what is free of them. */
function machineOf({ devices, host }: Hardware): string {
  return JSON.stringify([devices.map(({ name, totalBytes }) => [name, totalBytes]), host.totalBytes]);
}

/** What the model that is loaded now gives back. Weights on the host are a mapped file and count as free already. */
function released(hardware: Hardware, before: ContextGrant | null): Hardware {
  if (before === null) return hardware;
  const { host, devices } = hardware;
  if (!before.expectsCard) return { ...hardware, host: { ...host, freeBytes: host.freeBytes + before.ownBytes } };
  const bytes = before.predictedBytes ?? 0;
  return {
    host,
    devices: devices.map((device, index) =>
      index === 0 ? { ...device, freeBytes: Math.min(device.totalBytes, device.freeBytes + bytes) } : device,
    ),
  };
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
  const uncounted: ContextGrant = {
    askedTokens,
    grantedTokens: most,
    sequences: Math.min(wish.sequences, step?.sequences ?? wish.sequences),
    predictedBytes: null,
    ownBytes: 0,
    expectsCard: cards.length > 0,
    why: step !== null ? smallerBecause(step) : most < askedTokens ? `it was trained for ${most} tokens` : null,
    isSmaller: step !== null,
  };
  // A file that cannot be read is the engine's to refuse, with its reason.
  const memory = header.ok ? readModelMemory(header.value.facts) : null;
  if (memory === null || !memory.known) return uncounted;
  return fitted(memory.memory, uncounted, { ...hardware, devices: cards });
}

function smallerBecause({ before, at }: LoadStep): string {
  const { grantedTokens, sequences } = before;
  const conversations = sequences === 1 ? 'one conversation' : `each of ${sequences} conversations`;
  return `its engine ran out of memory with ${grantedTokens} tokens for ${conversations} on ${new Date(at).toISOString().slice(0, 10)}`;
}

/** As many conversations as were wished for, or one where that is what makes the length possible. */
function fitted(memory: ModelMemory, wished: ContextGrant, hardware: Hardware): ContextGrant {
  const ubatchTokens = hardware.devices.length > 0 ? batchTokens.card : batchTokens.processor;
  const made = { cacheType: 'f16', flashAttention: true, ubatchTokens, unified: false, draftTokens: 0 } as const;
  const engine = 'node-llama-cpp';
  const at = (sequences: number): { readonly tokens: number; readonly reason: string; readonly copied: number } => {
    const plan = planMemory(memory, {
      ...made,
      askedTokens: wished.grantedTokens * sequences,
      slots: sequences,
      engine,
      cards: hardware.devices,
      hostFreeBytes: hardware.host.freeBytes,
    });
    return { tokens: Math.floor(plan.context / sequences), reason: plan.reason, copied: plan.copied?.bytes ?? 0 };
  };
  const several = at(wished.sequences);
  const sequences = several.tokens >= wished.grantedTokens || wished.sequences === 1 ? wished.sequences : 1;
  const best = sequences === wished.sequences ? several : at(1);
  // Where by our count nothing fits, the engine is still asked, for the least: it knows better, and says so if not.
  const grantedTokens = best.tokens > 0 ? best.tokens : Math.min(leastTokens, wished.grantedTokens);
  const { totalBytes, contextBytes, computeBytes } = estimateMemory(memory, {
    engine,
    context: { ...made, contextTokens: grantedTokens * sequences, slots: sequences },
  });
  const isLess = grantedTokens < wished.grantedTokens;
  return {
    ...wished,
    grantedTokens,
    sequences,
    predictedBytes: totalBytes,
    ownBytes: (contextBytes ?? 0) + (computeBytes ?? 0) + best.copied,
    why: isLess ? [wished.why, best.reason].filter((reason) => reason !== null).join('; ') : wished.why,
  };
}

/** A tool of a vendor that hangs must not hold up a call. */
const hardwareMs = 5_000;
