import type { StepState } from './session-state.ts';

/** Calls beside the work: their prompts say nothing of the task, and their answers nothing of who did it. */
export const asides: ReadonlySet<StepState['purpose']> = new Set(['summarize', 'title', 'advise', 'review', 'sample']);
