import type { Interval } from '@shared/money/counterfactual.ts';

/** A value with its interval. Without one if it is exact. */
export function intervalText({ value, low, high }: Interval, text: (value: number) => string): string {
  return low === high ? text(value) : `${text(value)} (${text(low)} to ${text(high)})`;
}
