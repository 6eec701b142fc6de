import type { Interval } from '@shared/money/counterfactual.ts';

/** A value with the interval that it is to lie in; without one where it is exact. */
export function intervalText({ value, low, high }: Interval, text: (value: number) => string): string {
  return low === high ? text(value) : `${text(value)} (${text(low)} to ${text(high)})`;
}
