import type { StepState } from './session-state.ts';

/**
 * The purposes of calls beside the work. Their prompts do not show the task, and their answers do not show who did it.
 */
export const asides: ReadonlySet<StepState['purpose']> = new Set(['summarize', 'title', 'advise', 'review', 'sample']);
