import { findSpans } from '../../code/code-spans.ts';
import type { Syntax } from '../../code/code-syntax.ts';
import type { Candidate } from '../../trial/candidate-change.ts';
import type { Verdict } from '../judge/judge-candidate.ts';
import { lineWeight, type Evidence, type Suspect } from '../locate/rank-suspects.ts';
import { mechanicalCandidates } from '../mechanical/mechanical-changes.ts';
import type { ProjectReader } from '../../facts/project-reader.ts';

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

/** Small changes on top of the model's nearest misses, the nearest first. */
export function polishPool(syntax: Syntax, misses: readonly Verdict[], limit: number): readonly Candidate[] {
  const pool: Candidate[] = [];
  for (const { candidate } of misses) {
    const [file] = candidate.files;
    const { span } = candidate;
    if (file === undefined || span === null) continue;
    const spans = findSpans(syntax, { ...file, language: span.language }).filter((one) => one.name === span.name);
    const options = { weigh: () => 1, limit: Math.ceil(limit / misses.length) };
    for (const one of mechanicalCandidates(syntax, file, spans.slice(0, 1), options)) {
      pool.push({ ...one, origin: 'polish', label: `${candidate.label}, then ${one.label}` });
    }
  }
  return pool;
}
