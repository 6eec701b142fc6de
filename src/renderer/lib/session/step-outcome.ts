import type { StepState } from '@shared/session/session-state.ts';

/** Whether the call of a model ended in an error. */
export function hasFailed(step: StepState): boolean {
  return step.end !== null && step.end.error !== null;
}
