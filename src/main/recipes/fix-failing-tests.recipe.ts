import { noProgramText, missingProgram, missingProgramHint } from '@shared/text/missing-program.ts';
import { recipeTimeLimitSeconds } from '@shared/money/recipe-runs.ts';
import { loadSyntax } from './code/code-syntax.ts';
import { defineRecipe, type RecipeContext, type RecipeOutcome } from './define.ts';
import { acceptBest } from './fix/outcome/accept-best.ts';
import { giveUpReason, handOverFacts } from './fix/outcome/give-up-report.ts';
import { createJudge } from './fix/judge/judge-candidate.ts';
import { planFor } from './fix/search/search-plan.ts';
import { searchFix } from './fix/search/search-fix.ts';
import { endlessTests } from '../lib/endless/endless-tests.ts';

/** A solved task must not take longer than five minutes in all; the rest is for the final checks. */
const searchSeconds = recipeTimeLimitSeconds['fix-failing-tests'];
/** A person waits two minutes at most for a search that finds nothing. */
const giveUpSeconds = 105;

export default defineRecipe({
  id: 'fix-failing-tests',
  label: 'Fix failing tests',
  // A small model that gets more than the failure writes worse repairs (decision 0084).
  instructions: 'large-models',
  giveUpSeconds,
  fits: (subject) => {
    if (!subject.canExecute || subject.mode === 'plan' || subject.check === null || subject.checkPasses !== false)
      return null;
    if (subject.facts.sourceFiles.length === 0) return null;
    return {
      score: 0.95,
      reason: `\`${subject.check.command}\` fails now. Each attempt is checked against it.`,
    };
  },
  run: (context) => fixFailingTests(context),
});

/** `plan`: the search steps, in another order to measure them. */
export async function fixFailingTests(context: RecipeContext, plan = planFor(context)): Promise<RecipeOutcome> {
  const { check, budget } = context;
  if (check === null) return gaveUp('There is no success check to judge by.');
  const begin = budget.millisecondsLeft();
  const elapsed = () => (begin - budget.millisecondsLeft()) / 1000;
  const secondsLeft = () => Math.min(searchSeconds - elapsed(), budget.millisecondsLeft() / 1000 - 10);
  const secondsToGiveUp = () => Math.min(giveUpSeconds - elapsed(), secondsLeft());
  const syntax = await loadSyntax();
  const judge = await createJudge(context, check.command);
  if (judge === null) return gaveUp('A copy of the project for trials could not be made.');
  const { report, exitCode, output } = judge.baseline();
  if (exitCode === 0)
    return { type: 'done', text: 'The tests already pass, so nothing was changed.', confidence: 'unchecked' };
  if ((exitCode === 124 || exitCode === 137) && report.failures.length === 0 && endlessTests(output).length === 0)
    return gaveUp('The check does not end, and nothing in it says which part. Each try would take its whole limit.');
  const missing = report.failures.length > 0 || report.passed.size > 0 ? null : missingProgram(exitCode, output);
  if (missing !== null)
    return gaveUp(`${noProgramText('The check', missing)} Nothing was changed. ${missingProgramHint}`);
  await context.progress('facts', `${report.failures.length} failing, ${report.passed.size} passing tests.`, {
    failures: report.failures.slice(0, 5),
  });
  const result = await searchFix({ context, syntax, judge, plan, secondsLeft, secondsToGiveUp });
  const outcome = await acceptBest({ context, syntax, judge, secondsLeft }, result);
  const reason = result.fatal ?? giveUpReason(result, judge);
  if (outcome?.type === 'done' && outcome.confidence !== 'high')
    return { ...outcome, facts: await handOverFacts({ result, judge, syntax, hasPassed: true }) };
  if (outcome !== null) return outcome;
  const facts = await handOverFacts({ result, judge, syntax });
  return { type: 'gave-up', reason, facts, isCut: result.isCut || secondsLeft() <= 0 };
}

function gaveUp(reason: string): RecipeOutcome {
  return { type: 'gave-up', reason, facts: '' };
}
