import type { Syntax } from '../../code/code-syntax.ts';
import type { Candidate } from '../../trial/candidate-change.ts';
import { lineWeight, type Evidence, type Suspect } from '../locate/rank-suspects.ts';
import { mechanicalCandidates } from '../mechanical/mechanical-changes.ts';
import type { ProjectReader } from '../../facts/project-reader.ts';
import type { Attempt } from './propose-change.ts';
import type { SearchStep } from './search-plan.ts';
import type { FailureContext } from './failure-context.ts';

/** A step of the plan that asks the model. */
export type ModelStep = Exclude<SearchStep, { arm: 'mechanical' }>;

/** A suspect with a smaller share of the first one's score is not worth a rewrite. */
const leastShare = 0.25;

/** The attempts of a step, in order. */
export function attemptsOf({ insertions, suspects }: FailureContext, step: ModelStep): readonly Attempt[] {
  if (step.arm === 'insert') return insertions.slice(0, 2).map((insertion) => ({ form: 'insert', insertion }));
  // A whole class is rewritten only if its methods are no suspects themselves; otherwise it is not worth its tokens.
  const pool = suspects.filter((one) => (step.only === 'constants') === (one.span.kind === 'block'));
  const small = pool.filter((one) => one.span.kind !== 'class' || one.isMissing || !hasMembers(pool, one));
  const least = (small[0]?.score ?? 0) * leastShare;
  const likely = small.filter((one) => one.score >= least).slice(step.from, step.to);
  return likely.map((suspect) => ({ form: step.arm, suspect }));
}

function hasMembers(pool: readonly Suspect[], suspect: Suspect): boolean {
  const { path, name } = suspect.span;
  return pool.some((one) => one.span.path === path && one.span.container === name);
}

/** A key for a question. Its answer is always the same, because it is asked at temperature 0. */
export function attemptKey(attempt: Attempt): string {
  return `${attempt.form} ${attempt.form === 'insert' ? attempt.insertion.name : attempt.suspect.span.id}`;
}

/**
 * Small changes of all suspects in one order: a likely slip in the second suspect comes before an unlikely one in the
 * first.
 */
export async function mechanicalPool(
  syntax: Syntax,
  reader: ProjectReader,
  suspects: readonly Suspect[],
  evidence: Evidence,
): Promise<readonly Candidate[]> {
  const pool: { readonly candidate: Candidate; readonly weight: number }[] = [];
  for (const suspect of suspects) {
    const text = await reader.text(suspect.span.path);
    if (text === null) continue;
    const weigh = lineWeight(suspect, evidence);
    const file = { path: suspect.span.path, text };
    const found = mechanicalCandidates(syntax, file, [suspect.span], { weigh, limit: 600 });
    for (const [index, candidate] of found.entries())
      pool.push({ candidate, weight: Math.sqrt(suspect.score) / (8 + index) });
  }
  return pool.sort((left, right) => right.weight - left.weight).map((one) => one.candidate);
}
