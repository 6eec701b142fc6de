import type { TaskKind } from '@shared/money/task-needs.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { usualCostUsd, usualTasks } from '@shared/money/usual-task.ts';
import type { Tally } from '@shared/routing/priors.ts';

/** How a model is likely to do the rest of a task. */
export interface UsualSteps {
  /** Calls of a whole task. */
  readonly calls: number;
  /** Tokens that it writes in a call, and that a call adds to the conversation. */
  readonly outputTokens: number;
  readonly grownTokens: number;
}

/** The guess by the kind of task weighs as much as so many counted turns. */
const guessTurns = 1;

/**
 * The usual number of calls and their size: what was counted of a model in this home, drawn towards what is usual for
 * the kind of task. `known`: its count for steps of the conversation.
 */
export function usualStepsOf(kind: Exclude<TaskKind, 'chat'>, known: Tally | undefined): UsualSteps {
  const guess = usualTasks[kind];
  const counted = known?.calls === undefined ? { tries: 0, calls: 0 } : { tries: known.tries, calls: known.calls };
  const calls = (counted.calls + guessTurns * guess.calls) / (counted.tries + guessTurns);
  const written = usualOutput(known);
  const weight = guessTurns * guess.calls;
  const outputTokens =
    written === null
      ? guess.outputTokens
      : (written * counted.calls + guess.outputTokens * weight) / (counted.calls + weight);
  return {
    calls: Math.max(1, Math.round(calls)),
    outputTokens: Math.round(outputTokens),
    grownTokens: Math.round(outputTokens) + guess.resultTokens,
  };
}

/** Tokens that a model wrote in a call, by its count in this home; null: unknown. */
export function usualOutput(known: Tally | undefined): number | null {
  if (known?.written === undefined || known.calls === undefined || known.calls < 1) return null;
  return known.written / known.calls;
}

/** What the rest of a task costs with a model that takes over at a prompt of this size, in US dollars. */
export function expectedRestUsd(price: Price, promptTokens: number, usual: UsualSteps): number {
  const { calls, outputTokens, grownTokens } = usual;
  return usualCostUsd({ calls, promptTokens, outputTokens, resultTokens: grownTokens - outputTokens }, price);
}
