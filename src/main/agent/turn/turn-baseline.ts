import type { Failure } from '@shared/errors.ts';
import type { Criterion } from '../../recipes/define.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import type { CriterionResult } from '@shared/session/session-state.ts';
import type { Confidence, TurnEndReason } from '@shared/events/turn-events.ts';

/** What is known once a turn has begun. */
export interface TurnBaseline {
  readonly found: TurnFacts;
  readonly criterion: Criterion | null;
  /** Null: there is none, or it was not run (a question, a plan). */
  readonly before: CriterionResult | null;
  readonly isQuestion: boolean;
  readonly canExecute: boolean;
}

/** What is to be believed at the end of the work. */
export interface Claim {
  /** What the worker says at its end. */
  readonly text: string;
  /** Null: there is nothing to check by. */
  readonly check: CriterionResult | null;
  /** The criterion failed before the work and holds now. */
  readonly isProven: boolean;
  /** Whoever did it says that the tests leave room for doubt, or that there are none. */
  readonly isDoubtful?: boolean;
}

/** How a turn ended. */
export interface TurnEnd {
  readonly reason: TurnEndReason;
  readonly text: string;
  readonly confidence: Confidence | null;
  readonly failure: Failure | null;
}
