import { noUsage } from '@shared/money/token-cost.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { ProviderError, StreamEnded } from '../define.ts';

/** The `ended` part of a call that failed or was cancelled. It keeps the usage up to that point. */
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

/** A failure that a retry cannot fix. */
export function providerFailure(code: ProviderError['code'], message: string): ProviderError {
  return { code, message, retryable: false };
}

/**
 * Estimates tokens when a provider gives no count, on the safe side: 3.5 bytes a token, where English and code have
 * about four. Other languages have fewer bytes a token.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text, 'utf8') / 3.5);
}
