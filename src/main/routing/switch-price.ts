import type { Price } from '@shared/money/token-cost.ts';
import { costOf } from '@shared/money/token-cost.ts';

/** What a service still has of the conversation. */
export interface CacheFacts {
  readonly cachedTokens: number;
  /** Since the service was sent them. A clock that jumped back gives 0. */
  readonly ageMs: number;
  readonly lifeMs: number;
}

/** What one call is, in tokens. */
export interface CallShape {
  readonly promptTokens: number;
  readonly outputTokens: number;
}

export const nothingCached: CacheFacts = { cachedTokens: 0, ageMs: 0, lifeMs: 0 };

/** What the next call of a service costs with what it still has; null: no price is known. US dollars. */
export function callUsd(price: Price | null, call: CallShape, cache: CacheFacts): number | null {
  const isWarm = cache.ageMs < cache.lifeMs;
  const cacheRead = isWarm ? Math.min(cache.cachedTokens, call.promptTokens) : 0;
  const rest = call.promptTokens - cacheRead;
  // A service with a price for writing writes what it has not read.
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

/** How the work is expected to go on. */
export interface Outlook extends CallShape {
  /** Tokens that one step adds to the conversation. */
  readonly grownTokens: number;
  readonly stepsLeft: number;
  /** Steps up to the next place where a switch is safe; at least 1. */
  readonly blockSteps: number;
  /** The chance of each step to be one that this machine does not do. */
  readonly hazard: number;
  readonly localStepMs: number;
  readonly cloudStepMs: number;
}

export interface SwitchPrice {
  /** The next stretch in the cloud costs this much more than on this machine, later costs taken in. US dollars. */
  readonly extraUsd: number;
  /** Everything to the end in the cloud; and here, with a return to the cloud where one is to be expected. */
  readonly cloudRestUsd: number;
  readonly localRestUsd: number;
  /**
   * What a return costs more once the service has forgotten, less what is saved here until it has; 0 where it cannot
   * forget before the next safe place.
   */
  readonly riskUsd: number;
}

/**
 * What it costs to be in the cloud for the next stretch rather than here. What new text costs a service has to be paid
 * by whoever goes there later as well, so it counts only as far as nobody will; leaving costs what the service forgets
 * meanwhile, as likely as somebody comes back after that. Null: no price is known.
 */
export function switchPrice(price: Price | null, outlook: Outlook, cache: CacheFacts): SwitchPrice | null {
  const { promptTokens, blockSteps, stepsLeft, hazard } = outlook;
  const block = Math.min(blockSteps, Math.max(1, stepsLeft));
  const entry = callUsd(price, outlook, cache);
  const cold = callUsd(price, outlook, nothingCached);
  const warm = callUsd(price, outlook, { cachedTokens: promptTokens, ageMs: 0, lifeMs: 1 });
  if (entry === null || cold === null || warm === null) return null;
  const blockUsd = entry + (block - 1) * (warmStepUsd(price, outlook, block / 2) ?? 0);
  const step = warmStepUsd(price, outlook, stepsLeft / 2) ?? 0;
  const comesBack = 1 - (1 - hazard) ** Math.max(0, stepsLeft - block);
  // What is read in now need not be read in later, while it is kept.
  const deferred = comesBack * Math.max(0, Math.min(entry, cold) - warm);
  const isKept = cache.ageMs < cache.lifeMs;
  const forgotten = isKept ? Math.max(0, cold - entry) : 0;
  const staleIfLeft = comesLate(outlook, cache, block) * forgotten;
  const fresh: CacheFacts = { cachedTokens: promptTokens, ageMs: 0, lifeMs: cache.lifeMs };
  const staleIfStayed = comesLate({ ...outlook, stepsLeft: stepsLeft - block }, fresh, 0) * Math.max(0, cold - warm);
  return {
    extraUsd: blockUsd - deferred + staleIfStayed - staleIfLeft,
    cloudRestUsd: entry + Math.max(0, stepsLeft - 1) * step,
    riskUsd: mayExpire(outlook, cache) ? Math.max(0, forgotten - stepsKept(outlook, cache) * warm) : 0,
    localRestUsd: comesBackAt(outlook) * (cold + (Math.max(0, stepsLeft - 1) * step) / 2),
  };
}

/** Steps take up to half as long again as the ones before. */
const SLOWER = 1.5;

function mayExpire({ blockSteps, localStepMs }: Outlook, { ageMs, lifeMs, cachedTokens }: CacheFacts): boolean {
  return cachedTokens > 0 && ageMs < lifeMs && ageMs + blockSteps * localStepMs * SLOWER >= lifeMs;
}

/** The fewest steps that are made here before a service forgets: a hard one before that finds everything there. */
function stepsKept({ localStepMs }: Outlook, { ageMs, lifeMs }: CacheFacts): number {
  return Math.max(1, Math.floor((lifeMs - ageMs) / (localStepMs * SLOWER)));
}

/**
 * What work on this machine has saved so far against a service that does it all: the text it would have read again and
 * the answers, less what it had forgotten when it was asked again. US dollars.
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

/** A step with everything but its own new text still kept, so many steps from now. */
function warmStepUsd(price: Price | null, outlook: Outlook, after: number): number | null {
  const { grownTokens, outputTokens } = outlook;
  const promptTokens = Math.round(outlook.promptTokens + grownTokens * after);
  const cache = { cachedTokens: Math.max(0, promptTokens - grownTokens), ageMs: 0, lifeMs: 1 };
  return callUsd(price, { promptTokens, outputTokens }, cache);
}

function comesBackAt({ hazard, stepsLeft }: Outlook): number {
  return 1 - (1 - hazard) ** Math.max(0, stepsLeft);
}

/** The chance that somebody comes back to the service, and only after it has forgotten. */
function comesLate(outlook: Outlook, cache: CacheFacts, block: number): number {
  const { hazard, stepsLeft, localStepMs } = outlook;
  const leftMs = Math.max(0, cache.lifeMs - cache.ageMs);
  const kept = Math.max(block, localStepMs <= 0 ? stepsLeft : Math.floor(leftMs / localStepMs));
  if (kept >= stepsLeft) return 0;
  return (1 - hazard) ** kept - (1 - hazard) ** stepsLeft;
}
