import { wantsTests } from '@shared/text/task-kind.ts';
import type { RecipeContext, RecipeOutcome } from '../define.ts';
import type { FileText } from '../trial/candidate-change.ts';
import { newErrorsText } from '../fix/outcome/accept-best.ts';
import { createJudge, verdictTexts, type Judge } from '../fix/judge/judge-candidate.ts';
import type { Confidence } from '@shared/events/turn-events.ts';

/** A change that was not tried yet. */
export interface Proposal {
  readonly files: readonly FileText[];
  /** What was changed, for the user: "total in cart.py". */
  readonly name: string;
  readonly did: 'Changed' | 'Renamed' | 'Wrote';
}

/** Null: there is no test, or no copy could be made to run it in. */
export async function judgeOf(context: RecipeContext): Promise<Judge | null> {
  return context.check === null ? null : createJudge(context, context.check.command);
}

/** Writes the change if the existing tests still pass; null if they do not. */
export async function acceptChange(
  context: RecipeContext,
  judge: Judge | null,
  proposal: Proposal,
): Promise<RecipeOutcome | null> {
  const files = proposal.files.map(({ path, text }) => ({ path, text }));
  let confidence: Confidence = 'unchecked';
  if (judge !== null && judge.baseline().exitCode === 0) {
    const label = `change ${proposal.name}`;
    const [verdict] = await judge.try([{ files, origin: 'fix', label, span: null }], {
      stopAfter: 1,
      totalSeconds: 120,
    });
    await context.progress('judge', `${label}: ${verdictTexts[verdict?.type ?? 'untried']}.`);
    if (verdict?.type !== 'accepted') return null;
    confidence = 'weak-tests';
  }
  const newErrors = await context.world.newErrors(files);
  const refused = await context.world.apply(files);
  if (refused !== null) return { type: 'gave-up', reason: refused, facts: '' };
  const text = `${proposal.did} ${proposal.name}. ${checkedText(context, confidence)}${newErrorsText(newErrors)}`;
  return { type: 'done', text, confidence };
}

/** If the task asks for tests, they run after this, and the caller reports their result. */
function checkedText({ task }: Pick<RecipeContext, 'task'>, confidence: Confidence): string {
  if (confidence !== 'unchecked') return 'The tests still pass, but none covers this change; please review the diff.';
  return wantsTests(task) ? 'Please review the diff.' : 'No tests cover it; please review the diff.';
}
