import type { SessionState, StepState, ToolCallState } from '@shared/session/session-state.ts';

/** The outcome of a step. `stopped`: the user or the end of Dewpoint ended it early. */
export type StepOutcome = 'running' | 'done' | 'failed' | 'stopped';

const cutOff: readonly (ToolCallState['status'] | null)[] = ['cancelled', 'unknown'];

/** `calls`: the tool calls that the step asked for. */
export function stepOutcome({ end }: StepState, calls: readonly ToolCallState[]): StepOutcome {
  if (end === null) return 'running';
  if (end.stopReason === 'cancelled' || calls.some(({ status }) => cutOff.includes(status))) return 'stopped';
  return end.error === null ? 'done' : 'failed';
}

/** The outcomes of all steps, in order. */
export function stepOutcomes({ steps, toolCalls }: Pick<SessionState, 'steps' | 'toolCalls'>): readonly StepOutcome[] {
  const stopped = new Set(toolCalls.filter(({ status }) => cutOff.includes(status)).map(({ callId }) => callId));
  return steps.map((step) => (stopped.has(step.callId) && step.end !== null ? 'stopped' : stepOutcome(step, [])));
}
