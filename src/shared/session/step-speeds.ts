import type { StepEnd } from './session-state.ts';

/** Tokens per second of the answer: by the engine's own counters, else by `answerSpeedOf`. Null without a time. */
export function decodeSpeedOf(end: Pick<StepEnd, 'usage' | 'timings'>): number | null {
  const { counted } = end.timings;
  return counted === undefined ? answerSpeedOf(end) : perSecond(counted.writtenTokens, counted.writtenMs);
}

/** Tokens per second as the user sees them: with sampling, grammar and transport. Null without a time. */
export function answerSpeedOf({ usage, timings }: Pick<StepEnd, 'usage' | 'timings'>): number | null {
  return perSecond(timings.decodeTokens ?? usage.output, timings.decodeMs);
}

/** From the moment the call had its turn to the answer's first token, with loading. Null when unknown. */
export function firstTokenMsOf({ timings }: Pick<StepEnd, 'timings'>): number | null {
  const { totalMs, queuedMs, decodeMs } = timings;
  return decodeMs === null ? null : Math.max(0, totalMs - queuedMs - decodeMs);
}

/** Tokens per second of reading the part of the prompt that was not cached. Null when unknown. */
export function prefillSpeedOf(end: Pick<StepEnd, 'evaluatedTokens' | 'timings'>): number | null {
  const { counted, prefillMs } = end.timings;
  if (counted === undefined) return perSecond(end.evaluatedTokens, prefillMs);
  return perSecond(counted.readTokens, counted.readMs);
}

function perSecond(tokens: number | null, milliseconds: number | null): number | null {
  return !tokens || !milliseconds ? null : (tokens * 1000) / milliseconds;
}
