import type { ComparisonInput } from './comparison.ts';

/** A task of an evaluation: what is asked, where, and what judges it. */
export interface EvalTask {
  readonly id: string;
  /** The kind that its folder names, or its form. */
  readonly kind: string;
  readonly prompt: string;
  readonly projectPath: string;
  /** What the agent may run to see whether it is done. Null: it looks for the project's tests. */
  readonly check: string | null;
  /** Decides after the run. The files of its folder are laid over the copy first, so no agent ever sees them. */
  readonly hidden: NonNullable<ComparisonInput['hidden']>;
}

/** What was read of a folder or a file of tasks. */
export interface EvalTasks {
  readonly form: 'own' | 'polyglot' | 'swe-bench';
  readonly tasks: readonly EvalTask[];
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
}
