import type { Measured } from '../define.ts';

/** What one call of the probe took, per second; null where the provider does not say. */
export function perSecond(tokens: number | null, milliseconds: number | null): number | null {
  if (tokens === null || milliseconds === null || tokens <= 0 || milliseconds <= 0) return null;
  return Math.round((tokens / milliseconds) * 10_000) / 10;
}

export function prefillPerSecond({ evaluatedTokens, timings }: Measured): number | null {
  return perSecond(evaluatedTokens, timings.prefillMs);
}

/** Of the tokens after the first, which belongs to the prompt's time. */
export function decodePerSecond({ outputTokens, timings }: Measured): number | null {
  return outputTokens < 4 ? null : perSecond(outputTokens, timings.decodeMs);
}

/** Lines that say nothing twice, so that no part of one prompt is kept for another. */
export function fillerLine(series: number, index: number): string {
  const number = (series * 7919 + index * 104_729) % 90_000;
  return `Shelf ${series}-${index} holds ${number + 10_000} parts of kind ${number % 97}.`;
}
