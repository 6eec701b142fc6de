import { noUsage } from '@shared/money/token-cost.ts';
import { decodeSpeedOf, prefillSpeedOf } from '@shared/session/step-speeds.ts';
import type { Measured } from '../define.ts';

/** As the same call is shown everywhere, in tenths; null where the provider does not say. */
export function prefillPerSecond(measured: Measured): number | null {
  return tenths(prefillSpeedOf(measured));
}

/** Of a few tokens it says nothing. */
export function decodePerSecond({ outputTokens, timings }: Measured): number | null {
  return outputTokens < 4 ? null : tenths(decodeSpeedOf({ usage: { ...noUsage, output: outputTokens }, timings }));
}

function tenths(speed: number | null): number | null {
  return speed === null ? null : Math.round(speed * 10) / 10;
}

/** Lines that say nothing twice, so that no part of one prompt is kept for another. */
export function fillerLine(series: number, index: number): string {
  const number = (series * 7919 + index * 104_729) % 90_000;
  return `Shelf ${series}-${index} holds ${number + 10_000} parts of kind ${number % 97}.`;
}
