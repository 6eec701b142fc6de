import type { EventOf } from '@shared/events/events.ts';

/** How many more steps a suggested raise is for. */
export const raisedSteps = 5;

type Reached = Pick<EventOf<'cap-reached'>, 'limitUsd' | 'spentUsd' | 'heldUsd' | 'worstUsd' | 'stepUsd'>;

/**
 * By how much to raise a limit so that the work can go on for several steps, in US dollars, rounded up to whole cents.
 * Without a known price, any amount is enough.
 */
export function suggestedRaiseUsd({ limitUsd, spentUsd, heldUsd, worstUsd, stepUsd }: Reached): number {
  const next = worstUsd ?? 0;
  const missing = spentUsd + heldUsd + next - limitUsd + raisedSteps * (stepUsd ?? next);
  return Math.max(0.01, Math.ceil(Number((missing * 100).toFixed(6))) / 100);
}
