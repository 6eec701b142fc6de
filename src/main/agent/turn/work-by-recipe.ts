import type { Failure } from '@shared/errors.ts';
import type { RecipeOutcome } from '../../recipes/define.ts';
import { lintOfRecipe, reviewOfRecipe, wishesOfRecipe } from '../gate/pass-gate.ts';
import { roomForAttached, taskWithTexts } from '../prompt/attached-parts.ts';
import { runRecipe, subjectOf, tellFacts } from '../recipe/run-recipe.ts';
import {
  approveEnd,
  markProposed,
  checkAfter,
  outcomeOfEnd,
  gaveUp,
  holds,
  withOwnTests,
  withUnrelatedFailure,
} from './judge-work.ts';
import { chooseAnew } from './take-choice.ts';
import { revertChanges } from './take-back.ts';
import type { FittingRecipe, TaskWork, Worker, WorkOutcome } from './task-work.ts';
import type { TurnEnd } from './turn-baseline.ts';

/** Lets the recipe that fits work to its end with this model, and checks its result. Throws `cancelled`. */
export async function workByRecipe(work: TaskWork, worker: Worker): Promise<WorkOutcome> {
  const { turn, known, fitting, current } = work;
  if (fitting === null) return gaveUp('no-progress', work.last.text);
  const { recipe } = fitting;
  const before = turn.steps.last;
  const subject = {
    ...subjectOf(turn, known),
    task: taskWithTexts(turn.task, turn.given.attached, roomForAttached(worker.model.info)),
    turnFacts: known.found,
  };
  const changesBefore = turn.files.changes.recorded().length;
  const chosen = {
    ...worker,
    recipe,
    reason: current?.reason ?? '',
    // What was tried with a smaller model is not tried again in full.
    before: worker.stage.where === 'local' ? null : work.tried,
  };
  const { outcome, stop, failure, chosen: anew } = await runRecipe(turn, chosen, subject);
  if (anew !== null) await chooseAnew(work);
  if (outcome.type === 'gave-up' && anew === 'instead') return { type: 'goes-on' };
  if (outcome.type === 'gave-up' && stop !== null) return { type: 'stopped', stop };
  if (outcome.type === 'gave-up' && failure !== null) return unreached(failure);
  const result = await recipeEnd(work, worker, { fitting, outcome, changesBefore });
  const isWritten = turn.steps.last > before;
  return result.type === 'ended' && isWritten ? outcomeOfEnd(markProposed(turn, known, worker, result.end)) : result;
}

/** No model answered the recipe, so the turn ends with that failure instead of the recipe's own reason. */
function unreached(failure: Failure): WorkOutcome {
  const reason = failure.code === 'network' ? 'error' : 'missing';
  return { type: 'gave-up', cause: 'transport', end: { reason, text: failure.message, confidence: null, failure } };
}

interface EndedRecipe {
  readonly fitting: FittingRecipe;
  readonly outcome: RecipeOutcome;
  readonly changesBefore: number;
}

async function recipeEnd(
  work: TaskWork,
  worker: Worker,
  { fitting, outcome, changesBefore }: EndedRecipe,
): Promise<WorkOutcome> {
  const { turn, known } = work;
  const failure = null;
  switch (outcome.type) {
    case 'answered':
      return outcomeOfEnd({ reason: 'answered', text: outcome.text, confidence: null, failure });
    case 'planned':
      return outcomeOfEnd({ reason: 'planned', text: outcome.text, confidence: null, failure });
    case 'gave-up':
      return { ...gaveUp('no-progress', outcome.reason), ...(outcome.isCut === true ? { isCut: true } : {}) };
    case 'done': {
      const { text, confidence, facts = '' } = outcome;
      const after = await checkAfter(turn, known);
      if (!holds(after)) return checkFailedByRecipe(work, changesBefore);
      const isProven = known.before?.passed === false && after?.passed === true;
      const wishes = isProven ? null : await wishesOfRecipe(turn);
      // Without a stronger model, work that lacks the tests it should have is shown, but not called done.
      if (wishes !== null && (!wishes.lacksTests || worker.reviewer !== null))
        return withoutWishes(work, changesBefore, wishes.text);
      const lint = await lintOfRecipe(turn);
      const said = [...(wishes === null ? [] : [wishes.text]), ...(lint === null ? [] : [lint])];
      const told = [withUnrelatedFailure(text, known, after), ...said].join('\n\n');
      const end = withOwnTests(known, { end: { reason: 'done', text: told, confidence, failure }, after });
      return reviewed(work, worker, { fitting, end, changesBefore, facts });
    }
    default:
      return outcome satisfies never;
  }
}

async function checkFailedByRecipe({ turn, known }: TaskWork, changesBefore: number): Promise<WorkOutcome> {
  await revertChanges(turn, changesBefore, 'take the change back');
  const text = `The change of the recipe did not meet \`${known.check?.command ?? 'the tests that were written'}\` and was taken back.`;
  const end: TurnEnd = { reason: 'check-failed', text, confidence: null, failure: null };
  return { type: 'gave-up', cause: 'checks', end };
}

interface ToReview {
  readonly fitting: FittingRecipe;
  readonly end: TurnEnd;
  readonly changesBefore: number;
  readonly facts: string;
}

/**
 * Lets a stronger model review work whose tests leave room for doubt: about half of what a small model finds then is
 * wrong (docs/measurements/tasks.md). A change that it does not approve is reverted, and it may do the work itself.
 */
async function reviewed(
  work: TaskWork,
  worker: Worker,
  { fitting, end, changesBefore: from, facts }: ToReview,
): Promise<WorkOutcome> {
  const { turn } = work;
  const { reviewer } = worker;
  if (reviewer === null || end.confidence === 'high') return outcomeOfEnd(end);
  const check = await reviewOfRecipe(work, worker, end.text);
  if (check === null || check.verdict === 'none') return outcomeOfEnd(end);
  const { label } = reviewer.model.info;
  if (check.verdict === 'pass') return outcomeOfEnd(approveEnd(end, label));
  const to = turn.files.changes.recorded().length;
  await revertChanges(turn, from, 'revert the change: the reviewer asked for changes');
  if (facts !== '') await tellFacts(turn, fitting.recipe, facts);
  const doubt = `The reviewer (${label}) asked for changes: ${check.text}`;
  const stands = `${end.text}\n\n${doubt}\nNothing better was found, so the change stays. Please review the diff.`;
  const doubted = { end: { ...end, text: stands }, from, to };
  return { type: 'gave-up', cause: 'checks', end: { ...end, reason: 'gave-up', text: doubt }, doubted };
}

/** Reverts a change that lacks something the task explicitly asks for, so that another may try. */
async function withoutWishes({ turn }: TaskWork, changesBefore: number, why: string): Promise<WorkOutcome> {
  await revertChanges(turn, changesBefore, 'take the change back: it lacks what the task asks for');
  return gaveUp('checks', `${why} The change was taken back.`);
}
