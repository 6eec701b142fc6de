import { noUsage } from '@shared/money/token-cost.ts';
import { decodeSpeedOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import type { CallUsage } from '../define.ts';

/** Reading speed in tokens per second, rounded to tenths as for any call; null if the provider does not report it. */
export function prefillPerSecond(measured: CallUsage): number | null {
  return tenths(prefillSpeedOf(measured));
}

/** Writing speed, rounded to tenths; null for fewer than four tokens, which say nothing. */
export function decodePerSecond({ outputTokens, timings }: CallUsage): number | null {
  return outputTokens < 4 ? null : tenths(decodeSpeedOf({ usage: { ...noUsage, output: outputTokens }, timings }));
}

function tenths(speed: number | null): number | null {
  return speed === null ? null : Math.round(speed * 10) / 10;
}

/** Lines that never repeat, so that no part of one prompt is in the cache for another. */
export function fillerLine(series: number, index: number): string {
  const number = (series * 7919 + index * 104_729) % 90_000;
  return `Shelf ${series}-${index} holds ${number + 10_000} parts of kind ${number % 97}.`;
}
