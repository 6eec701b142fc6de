import type { Failure } from '@shared/errors.ts';
import type { Criterion } from '../../recipes/define.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import type { Confidence, TurnEndReason } from '@shared/events/turn-events.ts';

/** The result of running the success check. */
export interface CriterionCheck {
  readonly passed: boolean;
  readonly exitCode: number | null;
  /** The end of the output: the failures and the counts. */
  readonly summary: string;
  /** The check failed before the work for a reason unrelated to the task, and fails no more than it did then. */
  readonly unrelated?: true;
}

/** What is known once a turn has started. */
export interface TurnBaseline {
  readonly found: TurnFacts;
  readonly criterion: Criterion | null;
  /** Null: there is no check, or it did not run (for a question or a plan). */
  readonly before: CriterionCheck | null;
  readonly isQuestion: boolean;
  readonly canExecute: boolean;
}

/** What a model or recipe claims at the end of its work. */
export interface Claim {
  /** The text of the claim. */
  readonly text: string;
  /** Null: there was nothing to check by. */
  readonly check: CriterionCheck | null;
  /** The check failed before the work and passes now. */
  readonly isProven: boolean;
  /** The tests leave room for doubt, or there are none. */
  readonly isDoubtful?: boolean;
}

/** How a turn ended. */
export interface TurnEnd {
  readonly reason: TurnEndReason;
  readonly text: string;
  readonly confidence: Confidence | null;
  readonly failure: Failure | null;
}
