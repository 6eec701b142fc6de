import type { ModelInfo } from '@shared/models/model-info.ts';
import type { SpentOption, Trouble } from '../../routing/define.ts';
import { spentIn } from '../../routing/hard-rules.ts';
import { waysToWork } from '../../routing/ways-to-work.ts';
import type { RecipeSubject } from '../../recipes/define.ts';
import { keepWhatWasSaid } from '../approval/request-memory.ts';
import { deliverToLoop } from '../loop/loop-step.ts';
import { leavesRecipes } from '../loop/narrowed-tools.ts';
import { isPlainTalk } from '../preparation/read-knowledge.ts';
import { modelsOfTurn } from '../preparation/gather-turn-facts.ts';
import { namedSkill } from '../../tools/skills/skill-catalog.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { subjectOf } from '../recipe/run-recipe.ts';
import { isProviderFailure } from '../step/call-failure.ts';
import { resolveModel } from './agent-dependencies.ts';
import { decideWork } from './decide-work.ts';
import { missingImages, missingSandbox, missingThinking } from './missing-parts.ts';
import { chooseAnew, takeChoice } from './take-choice.ts';
import { reapplyDoubtedChange, revertWorseChanges } from './take-back.ts';
import type { FittingRecipe, TaskWork, Worker, WorkOutcome } from './task-work.ts';
import type { TurnBaseline, TurnEnd } from './turn-baseline.ts';
import { stopEnd } from './turn-limits.ts';
import type { LimitStop } from './turn-limits.ts';
import type { Turn } from './turn.ts';
import { wantedTool } from './wanted-tool.ts';
import { workByRecipe } from './work-by-recipe.ts';
import { workInLoop } from './work-in-loop.ts';

/**
 * Works on a task until it ends: decide what works next, let it work until the next safe point, note what came of it. A
 * recipe and the loop are two ways to work; neither knows of other models, and neither hands over by itself.
 */
export async function runTask(turn: Turn, known: TurnBaseline): Promise<TurnEnd> {
  const missing = missingForTask(turn, known);
  if (missing !== null) return missing;
  const hasMemory = turn.found.facts?.parts?.includes('memory') === true;
  const noted = hasMemory ? await keepWhatWasSaid(turn, workingModels(turn, known.found)[0] ?? null) : null;
  if (noted !== null) return noted;
  const work = await createWork(turn, known);
  for (;;) {
    // A recipe knows the message that it began with; what arrives meanwhile is for the loop, or for a turn of its own.
    if (work.current?.strategy === 'loop' || work.fitting === null) await deliverToLoop(work);
    const choice = turn.dependencies.inbox.choice();
    if (choice !== null && (await takeChoice(turn, choice))) await chooseAnew(work);
    const { decision, worker } = await decideWork(work);
    if (worker === null && triesAgain(work)) continue;
    if (worker === null) return unfinished(work, decision);
    const { strategy } = worker.stage;
    const outcome = strategy === 'recipe' ? await workByRecipe(work, worker) : await workInLoop(work, worker, decision);
    const end = noteOutcome(work, worker, outcome);
    if (end === 'unfinished') return unfinished(work, null);
    if (end !== null) return end;
  }
}

function missingForTask(turn: Turn, { canExecute, isQuestion, found }: TurnBaseline): TurnEnd | null {
  if (!canExecute && turn.options.mode !== 'plan' && !isQuestion) return missingSandbox(found);
  const blind = turn.given.hasImages ? missingImages(turn.options, found) : null;
  if (blind !== null) return blind;
  return turn.options.thinking === undefined ? null : missingThinking(turn.options, found);
}

/** The models that may work on the task, the first first. */
function workingModels(turn: Turn, found: TurnBaseline['found']): readonly ModelInfo[] {
  return modelsOfTurn(turn.options, found).filter((info) => resolveModel(turn.dependencies, info) !== null);
}

async function createWork(turn: Turn, known: TurnBaseline): Promise<TaskWork> {
  const { options, given } = turn;
  const { found, before } = known;
  const isChat = given.mode === 'chat';
  const models = workingModels(turn, found);
  const hasConnected = isChat ? found.talksWithTools === true : found.connected !== undefined;
  // An answer goes on with what its question interrupted, so nothing is chosen anew.
  const isAnswer = given.answers !== null;
  const wanted = hasConnected && !isAnswer ? await wantedTool(turn, known, models[0] ?? null) : null;
  const { limits } = turn.prompt.conversation.skills();
  const isNarrowed = limits.length > 0 && !leavesRecipes(limits);
  // A recipe asks its own questions, in which no skill stands.
  const isBySkill = namedSkill(turn.task, turn.found.facts?.skills?.all ?? []) !== null;
  // A small model gets the parts of the knowledge that fit, and chooses nothing.
  const isDirect = isPlainTalk(turn) || wanted !== null;
  const isForLoop = isDirect || isAnswer || isNarrowed || isBySkill;
  const fitting = isForLoop ? null : bestRecipe(turn, subjectOf(turn, known));
  const ways = waysToWork({
    strategy: options.strategy,
    policy: options.policy,
    models,
    hasRecipe: fitting !== null,
    isDirect,
    isSmall,
  });
  const isRecipeChecked = fitting !== null && before?.passed === false && before.unrelated !== true;
  const text = isNarrowed
    ? 'A skill of this task leaves no recipe the tools that it needs.'
    : isBySkill
      ? 'A recipe does not work by a skill.'
      : 'No recipe fits this task.';
  return {
    turn,
    known,
    fitting,
    isRecipeChecked,
    wanted,
    ways,
    current: null,
    entered: 0,
    spent: [],
    trouble: null,
    door: { shut: null, taint: [], passed: null },
    last: { reason: 'gave-up', text, confidence: null, failure: null },
    tried: null,
    doubted: null,
    loop: {
      shapes: new Map(),
      unusableAnswers: 0,
      cutText: '',
      wanted,
      isToCompact: options.compact === true,
      acceptedTokens: 0,
      objectedTo: null,
      objectionsRaised: new Set(),
      isToldOfMoney: false,
      redone: new Set(),
      reopened: new Set(),
    },
  };
}

function bestRecipe({ options, given, dependencies }: Turn, subject: RecipeSubject): FittingRecipe | null {
  // Recipes do not show images to their model.
  if (options.strategy === 'loop' || given.hasImages) return null;
  let best: FittingRecipe | null = null;
  for (const recipe of [...dependencies.recipes].sort((left, right) => (left.id < right.id ? -1 : 1))) {
    const fit = recipe.fits(subject);
    if (fit !== null && (best === null || fit.score > best.fit.score)) best = { recipe, fit };
  }
  return best;
}

/** Null: it is decided again what works. `unfinished`: nothing else may. */
function noteOutcome(work: TaskWork, worker: Worker, outcome: WorkOutcome): TurnEnd | 'unfinished' | null {
  switch (outcome.type) {
    case 'goes-on':
      reopen(work, worker.model.info.id);
      return null;
    case 'ended':
      return outcome.end;
    case 'stopped':
      if (goesOnHere(work, worker, outcome.stop)) return null;
      work.last = stopEnd(outcome.stop);
      return 'unfinished';
    case 'gave-up':
      noteGivenUp(work, worker, outcome);
      return null;
    default:
      return outcome satisfies never;
  }
}

/** The last model could not be reached and nobody else may go on: whether one that gave up in the loop may. */
function triesAgain(work: TaskWork): boolean {
  const { trouble, spent } = work;
  if (trouble?.cause !== 'transport') return false;
  reopen(work, trouble.model);
  return work.spent.length < spent.length;
}

/**
 * Another model has worked since, or the last could not be reached: one that gave up in the loop may continue again.
 * Each model may do so once, so that a turn ends.
 */
function reopen(work: TaskWork, except: string): void {
  const isReopened = ({ model, strategy }: SpentOption): boolean =>
    strategy === 'loop' && model !== except && !work.loop.reopened.has(model);
  const open = work.spent.filter(isReopened);
  work.spent = work.spent.filter((one) => !open.includes(one));
  for (const { model } of open) work.loop.reopened.add(model);
}

function noteGivenUp(
  work: TaskWork,
  { stage, model }: Worker,
  outcome: Extract<WorkOutcome, { type: 'gave-up' }>,
): void {
  const { end, cause } = outcome;
  const { strategy } = stage;
  const isOut = end.failure !== null && isProviderFailure(end.failure);
  const isDoubted = outcome.doubted !== undefined;
  const { text } = end;
  work.doubted = outcome.doubted ?? work.doubted;
  if (strategy === 'recipe') {
    const { secondTries = null } = work.turn.options.routing.numbers;
    work.tried = { isCut: outcome.isCut === true, tries: secondTries };
  }
  work.last = end.failure === null && end.reason === 'gave-up' && work.last.failure !== null ? work.last : end;
  const isLost = isOut || cause === 'transport';
  work.spent = [...work.spent, { model: model.info.id, strategy: isLost ? null : strategy, text }];
  work.trouble = { model: model.info.id, strategy, cause, text, ...(isDoubted ? { isDoubted } : {}) };
}

/**
 * Whether work that a spending limit or a fence stopped continues on this machine: by the answer, otherwise by the
 * turn's option. Then later decisions leave out the cloud.
 */
function goesOnHere(work: TaskWork, { stage }: Worker, stop: LimitStop): boolean {
  const { turn, doubted } = work;
  const isClosed = stop.reason === 'cap' || stop.reason === 'fenced';
  const mayGoOn = isClosed && (stop.goesOnLocally ?? turn.options.atCap === 'local');
  const model = resolveModel(turn.dependencies, turn.found.facts?.local);
  if (!mayGoOn || model === null || doubted !== null || stage.where === 'local') return false;
  work.door.shut = { code: stop.reason === 'cap' ? 'budget' : 'fence', text: stop.text };
  work.last = stopEnd(stop);
  const { info } = model;
  const isLeft = work.ways.some(
    (way) => way.info.where === 'local' && way.canDrive && spentIn(work.spent, way) === undefined,
  );
  if (isLeft) return true;
  work.spent = work.spent.filter((one) => one.model !== info.id || one.strategy !== 'loop');
  const others = work.ways.filter((way) => way.info.id !== info.id || way.strategy !== 'loop');
  work.ways = [{ info, strategy: 'loop', canDrive: true }, ...others];
  return true;
}

/**
 * Nothing succeeded, or found anything better. A doubted change is applied again, since it is better than nothing.
 * `decision`: why the work stops; null: at a limit.
 */
async function unfinished(
  work: TaskWork,
  decision: { readonly text: string; readonly code: string; readonly isDegraded: boolean } | null,
): Promise<TurnEnd> {
  const { turn, known, doubted, trouble } = work;
  if (decision?.isDegraded === true) turn.progress.isCloudUnasked = true;
  // Without a way to work, no model was at fault.
  const end = decision === null || work.ways.length === 0 ? work.last : withReason(work.last, trouble, decision);
  // Reapplying the change reverts what came after it, so no check for worse tests is needed.
  if (doubted === null || !(await reapplyDoubtedChange(turn, doubted))) {
    await revertWorseChanges(turn, known);
    return end;
  }
  return end.reason === 'gave-up' || end.failure !== null
    ? doubted.end
    : { ...end, text: `${end.text} ${doubted.end.text}` };
}

/** Adds to a failure why no other model could continue: a spending limit, a fence, a routing rule or the network. */
function withReason(
  end: TurnEnd,
  trouble: Trouble | null,
  { text, code }: { readonly text: string; readonly code: string },
): TurnEnd {
  if (trouble === null) return { reason: 'gave-up', text, confidence: null, failure: null };
  const why = code === 'cascade-end' && text.startsWith(`${trouble.text} `) ? text.slice(trouble.text.length + 1) : '';
  if (why === '') return end;
  const { failure } = end;
  const told = failure === null ? null : { ...failure, message: `${failure.message} ${why}` };
  return { ...end, text: `${end.text} ${why}`, failure: told };
}
