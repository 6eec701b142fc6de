import type { StepEnd } from './session-state.ts';

/** Tokens per second of the answer by the engine's own counters; null where it does not say or there was nothing to time. */
export function decodeSpeedOf(end: Pick<StepEnd, 'usage' | 'timings'>): number | null {
  const { counted } = end.timings;
  return counted === undefined ? answerSpeedOf(end) : perSecond(counted.writtenTokens, counted.writtenMs);
}

/** The same as it comes to whoever waits for it: with choosing each token, a grammar included, and its way here. */
export function answerSpeedOf({ usage, timings }: Pick<StepEnd, 'usage' | 'timings'>): number | null {
  return perSecond(timings.decodeTokens ?? usage.output, timings.decodeMs);
}

interface TimedAnswer {
  readonly usage: { readonly output: number };
  readonly timings: { readonly decodeTokens?: number | undefined };
}

/** The answer was there before it was asked for: written beside the one before, in the time of that one. */
export function wasWrittenAhead({ usage, timings }: TimedAnswer): boolean {
  return timings.decodeTokens === 0 && usage.output > 1;
}

/** In its time others were written, too, or it was such another. */
export function wasWrittenInParallel(call: TimedAnswer): boolean {
  return wasWrittenAhead(call) || (call.timings.decodeTokens ?? 0) > call.usage.output;
}

/** From the moment the call had its turn, its load included, to the first token of the answer; null where it is not known. */
export function firstTokenMsOf({ timings }: Pick<StepEnd, 'timings'>): number | null {
  const { totalMs, queuedMs, decodeMs } = timings;
  return decodeMs === null ? null : Math.max(0, totalMs - queuedMs - decodeMs);
}

/** Tokens per second of reading what had to be read; null as above. */
export function prefillSpeedOf(end: Pick<StepEnd, 'evaluatedTokens' | 'timings'>): number | null {
  const { counted, prefillMs } = end.timings;
  if (counted === undefined) return perSecond(end.evaluatedTokens, prefillMs);
  return perSecond(counted.readTokens, counted.readMs);
}

function perSecond(tokens: number | null, milliseconds: number | null): number | null {
  return !tokens || !milliseconds ? null : (tokens * 1000) / milliseconds;
}
