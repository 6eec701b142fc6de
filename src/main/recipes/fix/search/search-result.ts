import type { Candidate } from '../../trial/candidate-change.ts';
import type { Verdict } from '../judge/judge-candidate.ts';
import type { FailureContext } from './failure-context.ts';

export interface RepairAttempt {
  readonly label: string;
  readonly result: Verdict['type'] | 'unusable' | 'same';
}

export interface SearchResult {
  readonly accepted: readonly Verdict[];
  /** Texts that differ from the workspace because progress was kept. They are part of every accepted candidate. */
  readonly kept: ReadonlyMap<string, string>;
  readonly failureContext: FailureContext;
  readonly tried: readonly RepairAttempt[];
  /** Small changes without a model: how many were tried, out of how many. */
  readonly variations: { readonly tried: number; readonly of: number };
  /** Changes that made one failing test pass and broke another, or made a test fail in a different way. */
  readonly near: readonly Verdict[];
  /**
   * How the model itself writes the candidate's span, asked in a different way and without seeing the candidate. Null:
   * it cannot be asked, or its answer is not code.
   */
  readonly confer: (candidate: Candidate) => Promise<Verdict | null>;
  /** A kept step was one of several that the tests could not tell apart. */
  readonly isAmbiguous: boolean;
  /** Something was skipped for lack of time. */
  readonly isCut: boolean;
  /** Set if the engine could not continue. */
  readonly fatal: string | null;
}
