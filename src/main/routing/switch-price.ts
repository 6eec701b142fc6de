import type { Price } from '@shared/money/token-cost.ts';
import { costOf } from '@shared/money/token-cost.ts';

/** What a service still has in its prompt cache. */
export interface CacheFacts {
  readonly cachedTokens: number;
  /** Since the service got them. 0 if the clock was set back. */
  readonly ageMs: number;
  readonly lifeMs: number;
}

/** The size of one call, in tokens. */
export interface CallShape {
  readonly promptTokens: number;
  readonly outputTokens: number;
}

export const nothingCached: CacheFacts = { cachedTokens: 0, ageMs: 0, lifeMs: 0 };

/** The cost of the next call, in US dollars, given what the service still has in its cache; null: no price is known. */
export function callUsd(price: Price | null, call: CallShape, cache: CacheFacts): number | null {
  const isWarm = cache.ageMs < cache.lifeMs;
  const cacheRead = isWarm ? Math.min(cache.cachedTokens, call.promptTokens) : 0;
  const rest = call.promptTokens - cacheRead;
  // A service with a price for cache writes writes what it has not read.
  const writes = price?.cacheWrite !== undefined;
  return costOf(
    {
      freshInput: writes ? 0 : rest,
      cacheWrite: writes ? rest : 0,
      cacheRead,
      output: call.outputTokens,
      reasoning: 0,
      estimated: true,
    },
    price,
  );
}

/** How the work is expected to continue. */
export interface Outlook extends CallShape {
  /** Tokens that one step adds to the conversation. */
  readonly grownTokens: number;
  readonly stepsLeft: number;
  /** Steps until the next place where a switch is safe; at least 1. */
  readonly blockSteps: number;
  /** The chance that the local model fails at a step. */
  readonly hazard: number;
  readonly localStepMs: number;
  readonly cloudStepMs: number;
}

export interface SwitchPrice {
  /** The extra cost of the next stretch in the cloud compared with local, including later costs. US dollars. */
  readonly extraUsd: number;
  /**
   * The extra cost of a return after the service has forgotten the conversation, minus what is saved locally until
   * then; 0 if it cannot forget before the next safe place.
   */
  readonly riskUsd: number;
}

/**
 * The cost of running the next stretch in the cloud rather than locally. Reading new text would also be paid by a later
 * return, so it counts only as far as no return is likely. Leaving costs what the service forgets, weighted with the
 * chance of a return after that. Null: no price is known.
 */
export function switchPrice(price: Price | null, outlook: Outlook, cache: CacheFacts): SwitchPrice | null {
  const { promptTokens, blockSteps, stepsLeft, hazard } = outlook;
  const block = Math.min(blockSteps, Math.max(1, stepsLeft));
  const entry = callUsd(price, outlook, cache);
  const cold = callUsd(price, outlook, nothingCached);
  const warm = callUsd(price, outlook, { cachedTokens: promptTokens, ageMs: 0, lifeMs: 1 });
  if (entry === null || cold === null || warm === null) return null;
  const blockUsd = entry + (block - 1) * (warmStepUsd(price, outlook, block / 2) ?? 0);
  const comesBack = 1 - (1 - hazard) ** Math.max(0, stepsLeft - block);
  // What the service reads now need not be read later, while it is kept.
  const deferred = comesBack * Math.max(0, Math.min(entry, cold) - warm);
  const isKept = cache.ageMs < cache.lifeMs;
  const forgotten = isKept ? Math.max(0, cold - entry) : 0;
  const staleIfLeft = comesLate(outlook, cache, block) * forgotten;
  const fresh: CacheFacts = { cachedTokens: promptTokens, ageMs: 0, lifeMs: cache.lifeMs };
  const staleIfStayed = comesLate({ ...outlook, stepsLeft: stepsLeft - block }, fresh, 0) * Math.max(0, cold - warm);
  return {
    extraUsd: blockUsd - deferred + staleIfStayed - staleIfLeft,
    riskUsd: mayExpire(outlook, cache) ? Math.max(0, forgotten - stepsKept(outlook, cache) * warm) : 0,
  };
}

/** Steps may take up to half as long again as before. */
const SLOWER = 1.5;

function mayExpire({ blockSteps, localStepMs }: Outlook, { ageMs, lifeMs, cachedTokens }: CacheFacts): boolean {
  return cachedTokens > 0 && ageMs < lifeMs && ageMs + blockSteps * localStepMs * SLOWER >= lifeMs;
}

/** The fewest steps that run locally before the service forgets. A return within them finds everything in the cache. */
function stepsKept({ localStepMs }: Outlook, { ageMs, lifeMs }: CacheFacts): number {
  return Math.max(1, Math.floor((lifeMs - ageMs) / (localStepMs * SLOWER)));
}

/**
 * What local work has saved so far compared with a service that does everything: reading the text again and writing the
 * answers, minus what the service had to read again after forgetting it. US dollars.
 */
export function savedUsd(
  price: Price | null,
  local: { readonly readTokens: number; readonly writtenTokens: number },
  forgottenTokens: number,
): number {
  if (price === null) return 0;
  const read = price.cacheRead ?? price.input;
  const written = price.cacheWrite ?? price.input;
  const saved = local.readTokens * read + local.writtenTokens * price.output;
  return (saved - forgottenTokens * Math.max(0, written - read)) * 1e-6;
}

/** The cost of a step, this many steps from now, if everything except its own new text is cached. */
function warmStepUsd(price: Price | null, outlook: Outlook, after: number): number | null {
  const { grownTokens, outputTokens } = outlook;
  const promptTokens = Math.round(outlook.promptTokens + grownTokens * after);
  const cache = { cachedTokens: Math.max(0, promptTokens - grownTokens), ageMs: 0, lifeMs: 1 };
  return callUsd(price, { promptTokens, outputTokens }, cache);
}

/** The chance of a return to the service, but only after it has forgotten. */
function comesLate(outlook: Outlook, cache: CacheFacts, block: number): number {
  const { hazard, stepsLeft, localStepMs } = outlook;
  const leftMs = Math.max(0, cache.lifeMs - cache.ageMs);
  const kept = Math.max(block, localStepMs <= 0 ? stepsLeft : Math.floor(leftMs / localStepMs));
  if (kept >= stepsLeft) return 0;
  return (1 - hazard) ** kept - (1 - hazard) ** stepsLeft;
}
