import type { Failure } from '@shared/errors.ts';
import type { Stage } from '@shared/models/model-info.ts';
import { roomForAttached, taskWithTexts } from '../prompt/attached-parts.ts';
import { checkCriterion, isWorse } from '../gate/check-criterion.ts';
import type { LimitStop } from './turn-limits.ts';
import type { EarlierAttempt, Recipe, RecipeOutcome } from '../../recipes/define.ts';
import type { Loop, LoopOutcome, LoopStage } from '../loop/run-loop.ts';
import { createLoop, escalateToNext, runLoop } from '../loop/run-loop.ts';
import type { GateMemory } from '../gate/pass-gate.ts';
import { lintOfRecipe, passGate, reviewOfRecipe, wishesOfRecipe } from '../gate/pass-gate.ts';
import { runRecipe, subjectOf, tellFacts } from '../recipe/run-recipe.ts';
import type { Cascade } from '../../routing/cascade/cascade.ts';
import type { Trouble } from '../../routing/define.ts';
import type { ResolvedModel } from './agent-dependencies.ts';
import { takeAction } from './take-action.ts';
import { criterionOfWrittenTests } from './written-tests.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { wantsTests } from '@shared/text/task-kind.ts';
import type { CriterionResult } from '@shared/session/session-state.ts';
import { endlessTests, endlessText } from '../../lib/endless/endless-tests.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd, TurnBaseline } from './turn-baseline.ts';

export interface StageRun {
  readonly cascade: Cascade;
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly recipe: Recipe | null;
  /** Set if the same recipe gave up on an earlier stage. */
  readonly before: EarlierAttempt | null;
  readonly reason: string;
  /** The connected tool that is called first; null: none. */
  readonly wanted: string | null;
  /** Other models that may drive the loop, if steps are routed one by one. */
  readonly others: readonly LoopStage[];
  /** For work that starts locally: the cloud model that would continue it. Null: none. */
  readonly stronger: Pick<StageRun, 'stage' | 'model'> | null;
}

/** A change that passes its tests but that a stronger model did not approve. It was reverted. */
export interface Doubted {
  /** How the turn ends if no model finds a better change and this one is applied again. */
  readonly end: TurnEnd;
  /** The change is the recorded changes of the turn from index `from` up to, not including, `to`. */
  readonly from: number;
  readonly to: number;
}

export type StageOutcome =
  | { readonly type: 'ended'; readonly end: TurnEnd }
  /** The next stage may try. If there is none, the turn ends with `end`. */
  | {
      readonly type: 'gave-up';
      readonly end: TurnEnd;
      readonly cause: Trouble['cause'];
      readonly isCut?: boolean;
      readonly doubted?: Doubted;
    }
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/** Runs one stage to its end, a recipe or the loop, and checks its result. */
export async function runStage(turn: Turn, work: TurnBaseline, run: StageRun): Promise<StageOutcome> {
  const before = turn.steps.last;
  const outcome =
    run.recipe === null ? await stageOfLoop(turn, work, run) : await stageOfRecipe(turn, work, run, run.recipe);
  const isWritten = turn.steps.last > before;
  return outcome.type === 'ended' && isWritten
    ? { ...outcome, end: asProposed(turn, work, run, outcome.end) }
    : outcome;
}

/**
 * Marks a change that a small local model wrote and no test judges as `proposed`. Without this, three of three such
 * changes of the starter model that counted as done were wrong.
 */
function asProposed(turn: Turn, { before }: TurnBaseline, { model, stage }: StageRun, end: TurnEnd): TurnEnd {
  const isOpen = end.confidence === 'unchecked' || end.confidence === 'weak-tests';
  const where = stage.strategy === 'loop' ? (turn.trajectory.now().last?.where ?? stage.where) : stage.where;
  const isJudged =
    before?.passed === false || (wantsTests(turn.task) && turn.progress.lastCheck?.check.passed === true);
  if (end.reason !== 'done' || !isOpen || where !== 'local' || isJudged || !isSmall(model.info)) return end;
  return { ...end, confidence: 'proposed' };
}

async function stageOfRecipe(turn: Turn, work: TurnBaseline, run: StageRun, recipe: Recipe): Promise<StageOutcome> {
  const subject = {
    ...subjectOf(turn, work),
    task: taskWithTexts(turn.task, turn.given.attached, roomForAttached(run.model.info)),
    turnFacts: work.found,
  };
  const changesBefore = turn.changes.recorded().length;
  const { outcome, stop, failure } = await runRecipe(turn, { ...run, recipe }, subject);
  if (outcome.type === 'gave-up' && stop !== null) return { type: 'stopped', stop };
  if (outcome.type === 'gave-up' && failure !== null) return unreached(failure);
  return recipeEnd(turn, work, { run, outcome, changesBefore });
}

interface EndedRecipe {
  readonly run: StageRun;
  readonly outcome: RecipeOutcome;
  readonly changesBefore: number;
}

async function recipeEnd(
  turn: Turn,
  work: TurnBaseline,
  { run, outcome, changesBefore }: EndedRecipe,
): Promise<StageOutcome> {
  const failure = null;
  switch (outcome.type) {
    case 'answered':
      return ended({ reason: 'answered', text: outcome.text, confidence: null, failure });
    case 'planned':
      return ended({ reason: 'planned', text: outcome.text, confidence: null, failure });
    case 'gave-up':
      return {
        type: 'gave-up',
        cause: 'no-progress',
        end: { reason: 'gave-up', text: outcome.reason, confidence: null, failure },
        ...(outcome.isCut === true ? { isCut: true } : {}),
      };
    case 'done': {
      const { text, confidence, facts = '' } = outcome;
      const after = await checkAfter(turn, work);
      if (holds(after)) {
        const isProven = work.before?.passed === false && after?.passed === true;
        const wishes = !isProven ? await wishesOfRecipe(turn) : null;
        // Without a stronger model, work that lacks the tests it should have is shown, but not called done.
        if (wishes !== null && (!wishes.lacksTests || run.stronger !== null))
          return withoutWishes(turn, changesBefore, wishes.text);
        const lint = await lintOfRecipe(turn);
        const said = [...(wishes === null ? [] : [wishes.text]), ...(lint === null ? [] : [lint])];
        const told = [withUnrelatedFailure(text, work, after), ...said].join('\n\n');
        const end: TurnEnd = { reason: 'done', text: told, confidence, failure };
        return reviewed(turn, run, { end: withOwnTests(work, { end, after }), changesBefore, facts });
      }
      await revertChanges(turn, changesBefore, 'take the change back');
      const unmet = `The change of the recipe did not meet \`${work.criterion?.command ?? 'the tests that were written'}\` and was taken back.`;
      const end: TurnEnd = { reason: 'criterion-unmet', text: unmet, confidence: null, failure };
      return { type: 'gave-up', cause: 'checks', end };
    }
    default:
      return outcome satisfies never;
  }
}

/**
 * Lets a stronger model review work whose tests leave room for doubt: about half of what a small model finds then is
 * wrong (docs/measurements/tasks.md). A change that it does not approve is reverted, and it may do the work itself.
 */
async function reviewed(
  turn: Turn,
  { stage, model, stronger, recipe }: StageRun,
  {
    end,
    changesBefore: from,
    facts,
  }: { readonly end: TurnEnd; readonly changesBefore: number; readonly facts: string },
): Promise<StageOutcome> {
  if (stronger === null || end.confidence === 'high') return ended(end);
  const all = [
    { stage, model, canDrive: true },
    { ...stronger, canDrive: true },
  ];
  const check = await reviewOfRecipe({ turn, all, current: { stage }, shut: null }, end.text);
  if (check === null || check.verdict === 'none') return ended(end);
  const { label } = stronger.model.info;
  if (check.verdict === 'pass') return ended(approved(end, label));
  const to = turn.changes.recorded().length;
  await revertChanges(turn, from, 'revert the change: the reviewer asked for changes');
  if (facts !== '' && recipe !== null) await tellFacts(turn, recipe, facts);
  const doubt = `The reviewer (${label}) asked for changes: ${check.text}`;
  const stands = `${end.text}\n\n${doubt}\nNothing better was found, so the change stays. Please review the diff.`;
  const doubted = { end: { ...end, text: stands }, from, to };
  return { type: 'gave-up', cause: 'checks', end: { ...end, reason: 'gave-up', text: doubt }, doubted };
}

/** Adds who approved the change. An approval counts for more than tests that leave room for doubt. */
function approved(end: TurnEnd, label: string): TurnEnd {
  const text = `${end.text}\n\n${label} reviewed the change and approves.`;
  return { ...end, text, confidence: 'reviewed' };
}

/** Reverts a change that lacks something the task explicitly asks for, so that the next stage may try. */
async function withoutWishes(turn: Turn, changesBefore: number, why: string): Promise<StageOutcome> {
  await revertChanges(turn, changesBefore, 'take the change back: it lacks what the task asks for');
  const text = `${why} The change was taken back.`;
  return { type: 'gave-up', cause: 'checks', end: { reason: 'gave-up', text, confidence: null, failure: null } };
}

/** If the tests that the recipe wrote ran and passed, its work counts as tested, as in the loop. */
function withOwnTests(
  { criterion }: TurnBaseline,
  { end, after }: { readonly end: TurnEnd; readonly after: CriterionResult | null },
): TurnEnd {
  if (criterion !== null || after?.passed !== true || end.confidence !== 'unchecked') return end;
  return { ...end, text: `${end.text}\n\nThe tests that it wrote pass.`, confidence: 'weak-tests' };
}

/** Applies a reverted, doubted change again when no model found a better one. False: its files have changed since. */
export async function reapplyDoubtedChange(turn: Turn, { from, to }: Doubted): Promise<boolean> {
  return takeAction(
    turn,
    {
      tool: 'take_back',
      label: 'reapply the change: nothing better was found',
      input: {},
      run: async (toolCallId) => {
        const recorded = turn.changes.recorded();
        await turn.changes.revert(recorded.slice(to), toolCallId);
        const own = recorded.slice(from, to);
        const data = await turn.changes.reapply(own, { by: 'recipe', toolCallId });
        return { status: data ? 'ok' : 'error', output: own.map(({ path }) => path).join('\n'), data };
      },
    },
    (data) => data === true,
  );
}

/**
 * Runs the loop until its work passes the check. When a check fails, the model sees its output and gets one more try;
 * after a second failure the next model takes over, or the stage gives up.
 */
async function stageOfLoop(turn: Turn, work: TurnBaseline, run: StageRun): Promise<StageOutcome> {
  const { plan } = turn.options;
  const { canExecute, isQuestion } = work;
  const { stage, model, reason, wanted } = run;
  const loop = createLoop(turn, [{ stage, model, canDrive: true }, ...run.others], {
    plan,
    canExecute,
    isQuestion,
    isChat: turn.given.mode === 'chat',
    reason,
    wanted,
    cascade: run.cascade,
  });
  let objectedTo: string | null = null;
  const memory: GateMemory = { objectionsRaised: new Set(), redone: new Set() };
  for (;;) {
    const outcome = await runLoop(loop);
    if (outcome.type === 'stopped') return { type: 'stopped', stop: outcome.stop };
    if (outcome.type === 'gave-up') return gaveUp(outcome);
    if (outcome.type === 'waiting')
      return ended({ reason: 'waiting', text: outcome.text, confidence: null, failure: null });
    if (outcome.type === 'incomplete') return ended({ ...outcome, reason: 'incomplete', confidence: null });
    if (plan) return ended({ reason: 'planned', text: outcome.text, confidence: null, failure: null });
    if (isQuestion && turn.progress.okWrites === 0) {
      return ended({ reason: 'answered', text: outcome.text, confidence: null, failure: null });
    }
    const after = await checkAfter(turn, work);
    if (holds(after)) {
      const done = doneEnd(outcome.text, work, after);
      const end = await gated(loop, memory, { done, after });
      if (end !== null) return end.reason === 'gave-up' ? { type: 'gave-up', cause: 'checks', end } : ended(end);
      continue;
    }
    const driver = loop.candidates.current.model.info.id;
    const isSecond = objectedTo === driver;
    objectedTo = driver;
    if (!isSecond) continue;
    const end = unmet(outcome.text, work, after);
    if (!(await escalateToNext(loop, { cause: 'checks', text: end.end.text }))) return end;
  }
}

/** How the turn ends, given everything known now; null: the loop continues. */
async function gated(
  loop: Loop,
  memory: GateMemory,
  { done, after }: { readonly done: TurnEnd; readonly after: CriterionResult | null },
): Promise<TurnEnd | null> {
  const outcome = await passGate(loop, memory, {
    text: done.text,
    check: after,
    isProven: done.confidence === 'high',
  });
  switch (outcome.type) {
    case 'passed':
      if (outcome.isAnswer === true) return { ...done, reason: 'answered', confidence: null };
      if (outcome.approvedBy !== undefined && done.confidence !== 'high') return approved(done, outcome.approvedBy);
      return outcome.isDoubted === true ? { ...done, confidence: 'unchecked' } : done;
    case 'objected':
      return null;
    case 'refused':
      return (await escalateToNext(loop, { cause: 'checks', text: outcome.end.text })) ? null : outcome.end;
    default:
      return outcome satisfies never;
  }
}

function gaveUp(outcome: Extract<LoopOutcome, { type: 'gave-up' }>): StageOutcome {
  const { reason, text, failure, cause } = outcome;
  return { type: 'gave-up', cause, end: { reason, text, confidence: null, failure } };
}

/** No model answered the recipe, so the turn ends with that failure instead of the recipe's own reason. */
function unreached(failure: Failure): StageOutcome {
  const reason = failure.code === 'network' ? 'error' : 'missing';
  return { type: 'gave-up', cause: 'transport', end: { reason, text: failure.message, confidence: null, failure } };
}

function doneEnd(text: string, work: TurnBaseline, after: CriterionResult | null): TurnEnd {
  const isProven = after?.passed === true && work.before?.passed === false;
  return {
    reason: 'done',
    text: withUnrelatedFailure(text, work, after),
    confidence: isProven ? 'high' : work.criterion === null && after?.passed === true ? 'weak-tests' : 'unchecked',
    failure: null,
  };
}

function unmet(
  text: string,
  work: TurnBaseline,
  after: CriterionResult | null,
): Extract<StageOutcome, { type: 'gave-up' }> {
  const said = `The model says that it is done, but \`${work.criterion?.command ?? 'the tests that it wrote'}\` still fails.`;
  const endless = endlessText(endlessTests(after?.summary ?? ''));
  const why = [said, endless, text].filter((part) => part !== '').join(' ');
  const end: TurnEnd = { reason: 'criterion-unmet', text: why, confidence: null, failure: null };
  return { type: 'gave-up', cause: 'checks', end };
}

const holds = (after: CriterionResult | null): boolean => after === null || after.passed || after.unrelated === true;

/** Tells the user that the check still fails, for a reason unrelated to the task. */
function withUnrelatedFailure(text: string, work: TurnBaseline, after: CriterionResult | null): string {
  if (after?.unrelated !== true) return text;
  return `${text}\n\n\`${work.criterion?.command}\` failed before, for something else, and fails no more than it did.`.trim();
}

/** Null: there is nothing to check by, or the check did not run before the work either. */
async function checkAfter(turn: Turn, work: TurnBaseline): Promise<CriterionResult | null> {
  if (work.criterion === null && work.canExecute && !work.isQuestion && !turn.options.plan) {
    const written = await criterionOfWrittenTests(turn);
    return written === null ? null : checkCriterion(turn, written, 'after');
  }
  if (work.criterion === null || work.before === null) return null;
  const { before } = work;
  return checkCriterion(turn, work.criterion, 'after', (after) => before.unrelated === true && !isWorse(before, after));
}

async function revertChanges(turn: Turn, from: number, label: string): Promise<void> {
  await takeAction(
    turn,
    {
      tool: 'take_back',
      label,
      input: {},
      run: async (toolCallId) => {
        const { back, kept } = await turn.changes.revert(turn.changes.recorded().slice(from), toolCallId);
        return {
          status: 'ok',
          output: [...back, ...kept.map((path) => `${path}: left as it is`)].join('\n'),
          data: null,
        };
      },
    },
    () => null,
  );
}

function ended(end: TurnEnd): StageOutcome {
  return { type: 'ended', end };
}
