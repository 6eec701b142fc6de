import type { Failure } from '@shared/errors.ts';
import type { SuccessCheck } from '../../recipes/define.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import type { CheckResult } from '@shared/session/session-state.ts';
import type { Confidence, TurnEndReason } from '@shared/events/turn-events.ts';

/** What is known once a turn has started. */
export interface TurnBaseline {
  readonly found: TurnFacts;
  readonly check: SuccessCheck | null;
  /** Null: there is no check, or it did not run (for a question or a plan). */
  readonly before: CheckResult | null;
  readonly isQuestion: boolean;
  readonly canExecute: boolean;
}

/** What a model or recipe claims at the end of its work. */
export interface Claim {
  /** The text of the claim. */
  readonly text: string;
  /** Null: there was nothing to check by. */
  readonly check: CheckResult | null;
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
