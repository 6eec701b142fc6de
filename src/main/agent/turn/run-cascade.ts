import type { ModelInfo, Stage } from '@shared/models/model-info.ts';
import type { Cascade, NextStage, StageCause, StageExit } from '../../routing/cascade/cascade.ts';
import { createCascade, goesOnHere, stopCause } from '../../routing/cascade/cascade.ts';
import { loopOfEach, withoutRecipes } from '../../routing/cascade/choose-cascade.ts';
import type { EarlierAttempt, Recipe, RecipeFit } from '../../recipes/define.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { subjectOf } from '../recipe/run-recipe.ts';
import { isProviderFailure } from '../step/call-failure.ts';
import { isOffline } from '../step/route-step.ts';
import type { ResolvedModel } from './agent-dependencies.ts';
import { resolveModel } from './agent-dependencies.ts';
import { enterStage } from './enter-stage.ts';
import { missingImages, missingSandbox, missingThinking } from './missing-parts.ts';
import { orderStages, otherDrivers, withoutFallbacks } from './order-stages.ts';
import type { Doubted, StageOutcome } from './run-stage.ts';
import { reapplyDoubtedChange, runStage } from './run-stage.ts';
import type { TurnBaseline, TurnEnd } from './turn-baseline.ts';
import { stopEnd } from './turn-limits.ts';
import { wantedTool } from './wanted-tool.ts';
import type { Turn, ChangingTurn } from './turn.ts';
import { checkCriterion, isWorse } from '../gate/check-criterion.ts';
import { takeAction } from './take-action.ts';

interface FittingRecipe {
  readonly recipe: Recipe;
  readonly fit: RecipeFit;
}

/** What is kept from stage to stage. */
interface Progress {
  /** How the turn ends if there is no further stage. */
  last: TurnEnd;
  exit: StageExit | null;
  failed: EarlierAttempt | null;
  doubted: Doubted | null;
}

/** Runs stage after stage until one succeeds, a limit is reached, or none is left. */
export async function runCascade(turn: Turn, known: TurnBaseline, stages: readonly Stage[]): Promise<TurnEnd> {
  const isChat = turn.given.mode === 'chat';
  if (!known.canExecute && !turn.options.plan && !known.isQuestion) return missingSandbox(known.found);
  const blind = turn.given.hasImages ? missingImages(turn.options, known.found) : null;
  if (blind !== null) return blind;
  const unable = turn.options.thinking === undefined ? null : missingThinking(turn.options, known.found);
  if (unable !== null) return unable;
  const hasConnected = !isChat && known.found.foreign !== undefined;
  // An answer goes on with what its question interrupted, so nothing is chosen anew.
  const isAnswer = turn.given.answers !== null;
  const wanted = hasConnected && !isAnswer ? await wantedTool(turn, known, stages[0]) : null;
  const fitting = isChat || isAnswer || wanted !== null ? null : bestRecipe(turn, known);
  const driven = fitting === null ? withoutRecipes(stages, turn.options.strategy) : stages;
  const isJudged = fitting !== null && known.before?.passed === false && known.before.unrelated !== true;
  const fair = isJudged ? driven : withoutFallbacks(known.found, driven);
  const left = isChat || wanted !== null ? loopOfEach(stages) : fair;
  const order = orderStages(turn, known.found, left, isJudged ? 'recipe' : 'loop');
  const cascade = createCascade(order.stages, (stage) => reachOf(turn, known.found, stage));
  const none: TurnEnd = { reason: 'gave-up', text: 'No recipe fits this task.', confidence: null, failure: null };
  const progress: Progress = { last: none, exit: null, failed: null, doubted: null };
  for (;;) {
    const { next, isCloudUnasked } = cascade.next(progress.exit);
    if (isCloudUnasked) noteUnasked(turn, progress);
    const model = next === null ? null : modelOf(turn, known.found, next.stage);
    if (next === null || model === null) return unfinished(turn, known, progress);
    const used = next.stage.strategy === 'recipe' ? fitting : null;
    const reason = isChat
      ? `${next.index > 0 ? `${progress.last.text} ` : ''}Answered directly.`
      : reasonFor(next, used?.fit ?? null, { last: progress.last, order: order.why });
    await enterStage(turn, next, { recipe: used?.recipe ?? null, reason });
    const { stage } = next;
    const recipe = used?.recipe ?? null;
    const outcome = await runStage(turn, known, {
      cascade,
      stage,
      model,
      recipe,
      before: recipe === null || stage.where === 'local' ? null : progress.failed,
      reason,
      wanted,
      others: used === null ? otherDrivers(turn, known.found, next) : [],
      stronger: stage.where === 'local' ? strongerOf(turn, known.found, cascade) : null,
    });
    if (outcome.type === 'ended') return outcome.end;
    const exit = exitOf(turn, known.found.local, { outcome, stage, hasDoubted: progress.doubted !== null });
    if (outcome.type === 'stopped') {
      if (exit === null) return unfinished(turn, known, { ...progress, last: stopEnd(outcome.stop) });
    } else noteGivenUp(turn, progress, { outcome, recipe });
    progress.exit = exit;
  }
}

/** Null: a limit that ends the turn. With a doubted change the turn does not continue locally either. */
function exitOf(
  { options }: Pick<Turn, 'options'>,
  local: ModelInfo | null,
  left: {
    readonly outcome: Exclude<StageOutcome, { type: 'ended' }>;
    readonly stage: Stage;
    readonly hasDoubted: boolean;
  },
): StageExit | null {
  const { outcome, stage, hasDoubted } = left;
  if (outcome.type === 'stopped') {
    const cause = stopCause(outcome.stop);
    const mayGoOn = goesOnHere(outcome.stop, options.atCap) && !hasDoubted && stage.model !== local?.id;
    return cause === null || local === null || !mayGoOn ? null : { type: 'stopped', cause, goesOnWith: local.id };
  }
  const { failure } = outcome.end;
  return {
    type: 'gave-up',
    cause: outcome.cause,
    isModelOut: failure !== null && isProviderFailure(failure),
    isDoubted: outcome.doubted !== undefined,
  };
}

function noteGivenUp(
  { options }: Pick<Turn, 'options'>,
  progress: Progress,
  { outcome, recipe }: { readonly outcome: Extract<StageOutcome, { type: 'gave-up' }>; readonly recipe: Recipe | null },
): void {
  progress.doubted = outcome.doubted ?? progress.doubted;
  if (recipe !== null)
    progress.failed = { isCut: outcome.isCut === true, tries: options.routing.numbers.secondTries ?? null };
  progress.last = worseOf(progress.last, outcome.end);
}

/** Says it once per turn. */
function noteUnasked({ progress: ofTurn }: Pick<Turn, 'progress'>, progress: Progress): void {
  if (!ofTurn.isCloudUnasked) progress.last = withoutCloud(progress.last, progress.exit?.cause ?? null);
  ofTurn.isCloudUnasked = true;
}

function modelOf(
  { dependencies }: Pick<Turn, 'dependencies'>,
  found: TurnFacts,
  { model: id }: Stage,
): ResolvedModel | null {
  return resolveModel(
    dependencies,
    [found.local, found.cloud].find((model) => model?.id === id),
  );
}

function reachOf(turn: Turn, found: TurnFacts, stage: Stage): ReturnType<Parameters<typeof createCascade>[1]> {
  if (modelOf(turn, found, stage) === null) return 'missing';
  return stage.where === 'cloud' && isOffline(turn) ? 'offline' : 'there';
}

/**
 * No stage succeeded, or found anything better. A doubted change from an earlier stage is applied again, since it is
 * better than nothing.
 */
async function unfinished(
  turn: Turn,
  known: TurnBaseline,
  { doubted, last: end }: Pick<Progress, 'doubted' | 'last'>,
): Promise<TurnEnd> {
  // Reapplying the change reverts what came after it, so no check for worse tests is needed.
  if (doubted === null || !(await reapplyDoubtedChange(turn, doubted))) {
    await revertWorseChanges(turn, known);
    return end;
  }
  return end.reason === 'gave-up' || end.failure !== null
    ? doubted.end
    : { ...end, text: `${end.text} ${doubted.end.text}` };
}

/** The next cloud stage that would continue the work. */
function strongerOf(
  turn: Turn,
  found: TurnFacts,
  cascade: Cascade,
): { readonly stage: Stage; readonly model: ResolvedModel } | null {
  const stage = cascade.left().find(({ where }) => where === 'cloud');
  const model = stage === undefined ? null : modelOf(turn, found, stage);
  return stage === undefined || model === null || isOffline(turn) ? null : { stage, model };
}

/** `cause`: why the previous stage was left; null: there was none. */
function withoutCloud(last: TurnEnd, cause: StageCause): TurnEnd {
  return { ...last, text: `${cause === null ? '' : `${last.text} `}The cloud is unreachable, so it was not asked.` };
}

/** Keeps an earlier failure instead of a later "gave up", because the user can act on the failure. */
function worseOf(last: TurnEnd, next: TurnEnd): TurnEnd {
  return next.failure === null && next.reason === 'gave-up' && last.failure !== null ? last : next;
}

function bestRecipe(turn: Turn, known: TurnBaseline): FittingRecipe | null {
  // Recipes do not show images to their model.
  if (turn.options.strategy === 'loop' || turn.given.hasImages) return null;
  const subject = subjectOf(turn, known);
  let best: FittingRecipe | null = null;
  for (const recipe of [...turn.dependencies.recipes].sort((left, right) => (left.id < right.id ? -1 : 1))) {
    const fit = recipe.fits(subject);
    if (fit !== null && (best === null || fit.score > best.fit.score)) best = { recipe, fit };
  }
  return best;
}

/** `order`: why the cascade starts with this stage. */
function reasonFor(
  { stage, index }: NextStage,
  fit: RecipeFit | null,
  { last, order }: { readonly last: TurnEnd; readonly order: string | null },
): string {
  const why = fit === null ? (stage.strategy === 'loop' ? 'The model chooses the tools itself.' : '') : fit.reason;
  if (index > 0) return `${last.text} ${why}`.trim();
  return fit === null || order === null ? why : `${why} ${order}`;
}

/**
 * Reverts the changes of a turn that did not do its task if fewer tests pass than before. The changes stay in the log,
 * so the user can apply them again.
 */
export async function revertWorseChanges(turn: ChangingTurn, work: TurnBaseline): Promise<void> {
  if (work.criterion === null || work.before === null || turn.progress.okWrites === 0) return;
  const { lastCheck, okWrites } = turn.progress;
  const isFresh = lastCheck !== null && lastCheck.okWrites === okWrites;
  const after = isFresh ? lastCheck.check : await checkCriterion(turn, work.criterion, 'after');
  if (!isWorse(work.before, after)) return;
  await takeAction(
    turn,
    {
      tool: 'take_back',
      label: 'revert the changes: fewer tests pass than before',
      input: {},
      run: async (toolCallId) => {
        const { back, kept } = await turn.changes.revert(turn.changes.recorded(), toolCallId);
        const lines = [...back.map((path) => `${path}: put back`), ...kept.map((path) => `${path}: left as it is`)];
        return { status: 'ok', output: lines.join('\n'), data: null };
      },
    },
    () => null,
  );
  const text =
    'The task was not done and fewer tests passed than before, so the changes were reverted. `dewpoint changes` can restore them.';
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'changes-taken-back', text });
}
