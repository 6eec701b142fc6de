import { noUsage } from '@shared/money/token-cost.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { ProviderError, StreamEnded } from '../define.ts';

/** The `ended` part of a call that failed or was cancelled; what it cost until then is kept. */
export function endedWith(
  error: ProviderError | null,
  startedAt: number,
  now: number,
  usage: Usage = noUsage,
): StreamEnded {
  return {
    type: 'ended',
    stopReason: error === null ? 'cancelled' : 'error',
    usage,
    evaluatedTokens: null,
    timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: Math.max(0, now - startedAt) },
    error,
  };
}

/** A failure that comes again however often it is tried. */
export function failed(code: ProviderError['code'], message: string): ProviderError {
  return { code, message, retryable: false };
}

/** A count on the safe side where a provider gives none: four bytes a token in English and code, fewer elsewhere. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text, 'utf8') / 3.5);
}
