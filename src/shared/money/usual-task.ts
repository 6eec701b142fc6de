import type { Interval } from './counterfactual.ts';
import type { TaskKind, TaskNeed } from './task-needs.ts';
import { costOf, type Price } from './token-cost.ts';

/** How a strong model usually does a task of a kind, when it chooses its tools itself. */
export interface UsualTask {
  readonly calls: number;
  /** Tokens of the first prompt: instructions, tools, what is known of the project, and the task. */
  readonly promptTokens: number;
  /** Tokens that each call adds to the conversation beside its answer. */
  readonly resultTokens: number;
  readonly outputTokens: number;
}

/**
 * Used until this home has a record: 2 to 4 requests for tasks with a check and about one cent each were counted in
 * courses with a strong model (docs/decisions/0259). A kind that is not listed is priced by its own tokens.
 */
export const usualTasks: Readonly<Record<Exclude<TaskKind, 'chat'>, UsualTask>> = {
  question: { calls: 2, promptTokens: 2_000, resultTokens: 1_000, outputTokens: 250 },
  repair: { calls: 4, promptTokens: 2_500, resultTokens: 900, outputTokens: 250 },
  change: { calls: 7, promptTokens: 2_500, resultTokens: 900, outputTokens: 350 },
};

/**
 * Costs of tasks of one kind lie this far around the usual one, in both directions: projects, models that think, and
 * luck differ.
 */
const guessSpread = 10;

/** This many own tasks weigh as much as the guess. */
const guessWeight = 2;

/** The interval of a guess. A free model costs nothing, whatever it does. */
export function guessInterval(value: number): Interval {
  return { value, low: value / guessSpread, high: value * guessSpread };
}

export interface NeedGuess extends Interval {
  /** Tasks of this kind in the record of this home, too few for an estimate from them alone. */
  readonly tasks: number;
}

/** What a task of this kind costs at this price, in US dollars. Later calls find the conversation in the cache. */
export function usualCostUsd({ calls, promptTokens, resultTokens, outputTokens }: UsualTask, price: Price): number {
  const grown = resultTokens + outputTokens;
  const hasCache = price.cacheRead !== undefined;
  const costs = Array.from({ length: calls }, (_, index) => {
    const cached = index === 0 || !hasCache ? 0 : promptTokens + (index - 1) * grown;
    const fresh = promptTokens + index * grown - cached;
    const writes = hasCache && price.cacheWrite !== undefined;
    const usage = { cacheRead: cached, freshInput: writes ? 0 : fresh, cacheWrite: writes ? fresh : 0 };
    return costOf({ ...usage, output: outputTokens, reasoning: 0, estimated: true }, price) ?? 0;
  });
  return costs.reduce((sum, one) => sum + one, 0);
}

/**
 * A guess for a task of a kind: the usual cost at this price, drawn towards the few tasks of that kind that the model
 * did in this home. The interval stays as wide as guesses are.
 */
export function guessedNeed(kind: Exclude<TaskKind, 'chat'>, price: Price, record: readonly TaskNeed[]): NeedGuess {
  const own = record.filter((one) => one.kind === kind && one.value > 0).map(({ value }) => Math.log(value));
  const prior = usualCostUsd(usualTasks[kind], price);
  if (prior === 0) return { ...guessInterval(0), tasks: own.length };
  const sum = own.reduce((total, one) => total + one, guessWeight * Math.log(prior));
  const value = Math.exp(sum / (own.length + guessWeight));
  return { ...guessInterval(value), tasks: own.length };
}
