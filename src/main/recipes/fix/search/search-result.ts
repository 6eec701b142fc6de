import type { Candidate } from '../../trial/candidate-change.ts';
import type { Verdict } from '../judge/judge-candidate.ts';
import type { FailureContext } from './failure-context.ts';

export interface Tried {
  readonly label: string;
  readonly result: Verdict['type'] | 'unusable' | 'same';
}

export interface SearchResult {
  readonly accepted: readonly Verdict[];
  /** Texts that differ from the workspace because a step forward was kept; they belong to every accepted candidate. */
  readonly kept: ReadonlyMap<string, string>;
  readonly failureContext: FailureContext;
  readonly tried: readonly Tried[];
  /** Small changes without a model: how many were tried of how many there were. */
  readonly variations: { readonly tried: number; readonly of: number };
  /** Changes that made a failing test pass and broke another, or that made one fail in another way. */
  readonly near: readonly Verdict[];
  /**
   * What the model makes of the candidate's span by another way than the candidate came about, without having been
   * shown it. Null where it cannot be asked, or its answer is no code.
   */
  readonly confer: (candidate: Candidate) => Promise<Verdict | null>;
  /** A kept step was one of several that the tests could not tell apart. */
  readonly isAmbiguous: boolean;
  /** Something was left out for want of time. */
  readonly isCut: boolean;
  /** Set when the engine could not go on. */
  readonly fatal: string | null;
}
