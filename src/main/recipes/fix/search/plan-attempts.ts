import type { Attempt } from './propose-change.ts';
import type { Suspect } from '../locate/rank-suspects.ts';
import type { SearchStep } from './search-plan.ts';
import type { FailureContext } from './failure-context.ts';

/** A step of the plan that asks the model. */
export type ModelStep = Exclude<SearchStep, { arm: 'mechanical' | 'polish' }>;

/** A suspect with a smaller share of the first one's score is not worth a rewrite. */
const leastShare = 0.25;

/** The attempts of a step, in order. */
export function attemptsOf(failureContext: FailureContext, step: ModelStep): readonly Attempt[] {
  const { temperature } = step;
  switch (step.arm) {
    case 'insert':
      return failureContext.insertions.slice(0, 2).map((insertion) => ({ form: 'insert', insertion, temperature }));
    case 'fix':
    case 'body':
    case 'steps': {
      // A whole class is rewritten only if its methods are no suspects themselves; otherwise it is not worth its
      // tokens.
      const pool = failureContext.suspects.filter((one) => (step.only === 'constants') === (one.span.kind === 'block'));
      const small = pool.filter((one) => one.span.kind !== 'class' || one.isMissing || !hasMembers(pool, one));
      const least = (small[0]?.score ?? 0) * leastShare;
      const likely = small.filter((one) => one.score >= least).slice(step.from, step.to);
      // The calls of unlikely suspects go to the likely ones.
      const rounds = temperature === 0 || likely.length === 0 ? 1 : Math.ceil((step.to - step.from) / likely.length);
      return Array.from({ length: rounds }, () => likely)
        .flat()
        .map((suspect) => ({ form: step.arm, suspect, temperature }));
    }
    default:
      return step satisfies never;
  }
}

function hasMembers(pool: readonly Suspect[], suspect: Suspect): boolean {
  const { path, name } = suspect.span;
  return pool.some((one) => one.span.path === path && one.span.container === name);
}

/** Writing a longer function sixteen times takes about a minute. */
const longLines = 24;
const fewTogether = 8;

/** How many answers a sampled step asks for one attempt: fewer if each is long. */
export function countsOf(
  attempt: Attempt,
  { samples, together = samples }: ModelStep,
): { readonly samples: number; readonly together: number } {
  const span = attempt.form === 'insert' ? null : attempt.suspect.span;
  const isLong = span !== null && span.endLine - span.startLine >= longLines;
  return { samples, together: isLong ? Math.min(together, fewTogether) : together };
}

/** A key for a question at temperature 0, which always has the same answer. */
export function greedyKey(attempt: Attempt): string {
  return `${attempt.form} ${attempt.form === 'insert' ? attempt.insertion.name : attempt.suspect.span.id}`;
}
