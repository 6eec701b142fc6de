import { AppError, toFailure } from '@shared/errors.ts';
import type { EventOf } from '@shared/events.ts';
import type { ModelInfo, Stage } from '@shared/models.ts';
import { howToGet } from '@shared/models.ts';
import { chooseCascade, withoutRecipes } from '../../routing/cascade/choose-cascade.ts';
import { isAboutFailures } from '@shared/text/about-failures.ts';
import { checkCriterion } from '../gate/check-criterion.ts';
import type { LimitStop } from './turn-limits.ts';
import { timeStop } from './turn-limits.ts';
import { isProviderFailure } from '../step/call-failure.ts';
import { readInstructions } from '../preparation/read-project-instructions.ts';
import type { EarlierAttempt, Criterion, Recipe, RecipeFit } from '../../recipes/define.ts';
import { orderStages, otherDrivers } from '../loop/order-stages.ts';
import { subjectOf } from '../recipe/run-recipe.ts';
import { isOffline } from '../step/route-step.ts';
import type { Doubted, StageOutcome, StageRun } from './run-stage.ts';
import { runStage, reapplyDoubtedChange } from './run-stage.ts';
import { resolveHardLinks } from '../preparation/resolve-hard-links.ts';
import { asksToRun, isQuestion } from '@shared/text/task-kind.ts';
import { revertWorseChanges } from '../changes/revert-worse-changes.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { gatherTurnFacts } from '../preparation/gather-turn-facts.ts';
import { isCancelled } from './turn-log.ts';
import type { Turn } from './turn.ts';
import type { CriterionCheck, TurnEnd, TurnBaseline } from './turn-baseline.ts';

/**
 * One user message from `turn-started` to `turn-ended`. Rejects only when the log itself cannot be written;
 * everything else that can happen is the reason of its end. `recorded`: the facts, where a replay has them already.
 */
export async function runTurn(turn: Turn, messageId: string, recorded: TurnFacts | null = null): Promise<TurnEnd> {
  let isStarted = false;
  const start = async (): Promise<void> => {
    isStarted = true;
    const { plan, maxSteps, maxMinutes, maxTokens, maxUsd } = turn.options;
    const limits = { maxSteps, maxMinutes, maxTokens, maxUsd };
    const criterion = criterionOf(turn);
    const cascade = cascadeOf(turn);
    const { at } = await turn.log.close({ type: 'turn-started', messageId, plan, criterion, cascade, limits });
    turn.limits.start(at);
  };
  const end = await work(turn, start, recorded).catch((error: unknown) => endOf(turn, error));
  if (!isStarted) await start();
  const { failure } = end;
  await turn.warm.stop();
  // A cancelled turn ends at once; the next one, or the end of the sandbox, looks then.
  await turn.dependencies.sandbox.settle?.(turn.signal).catch(() => undefined);
  await warnDegraded(turn);
  await turn.log.close({
    type: 'turn-ended',
    reason: end.reason,
    text: end.text,
    confidence: end.confidence,
    failure: failure === null ? null : { ...failure },
  });
  return end;
}

/** The criterion is known before the work, the cascade is escalated, and the end is believed only when it was checked. */
async function work(turn: Turn, start: () => Promise<void>, recorded: TurnFacts | null): Promise<TurnEnd> {
  const found = recorded ?? (await gatherTurnFacts(turn));
  turn.found.facts = found;
  const canExecute = found.sandbox.tier !== 'read-only';
  const criterion = criterionOf(turn);
  const cascade = cascadeOf(turn);
  await start();
  await reportRuleProblems(turn, found);
  await warnMissingModel(turn, found);
  const first = modelOf(found, cascade[0]);
  if (first === null) return missingModel(turn);
  const asks = isQuestion(turn.task);
  // To run something is the work itself: tests that are asked for are not run twice.
  const isRun = asksToRun(turn.task) !== null;
  const needsCheck = criterion !== null && canExecute && !turn.options.plan && !asks && !isRun;
  if (found.sandbox.hardLinks !== undefined) await resolveHardLinks(turn, found.sandbox.hardLinks);
  await readInstructions(turn, found.facts.instructionFiles, first);
  const isApart = ({ exitCode, summary }: CriterionCheck): boolean =>
    criterion?.source === 'project' && exitCode !== null && !isAboutFailures(turn.task, summary);
  const before = needsCheck ? await checkCriterion(turn, criterion, 'before', isApart) : null;
  const end = await runCascade(turn, { found, criterion, before, isQuestion: asks, canExecute }, cascade);
  turn.log.check();
  return end;
}

/** What ran here for want of a network is offered for another look. */
async function warnDegraded(turn: Turn): Promise<void> {
  const { degraded } = turn.trajectory.now();
  const { isCloudUnasked } = turn.progress;
  if ((degraded === 0 && !isCloudUnasked) || turn.signal.aborted) return;
  const steps = degraded === 1 ? '1 step ran' : `${degraded} steps ran`;
  const text = [
    ...(degraded === 0 ? [] : [`${steps} here because the cloud was out of reach.`]),
    ...(isCloudUnasked ? ['Where this machine gave up the cloud would have gone on, but it was out of reach.'] : []),
    'Send the task again to have the cloud look at it.',
  ].join(' ');
  await turn.log.close({ type: 'notice-added', level: 'info', code: 'route-degraded', text });
}

/** Who wanted both is told that all of it runs on one: it costs money there, or is the weaker one's here. */
async function warnMissingModel({ options, log }: Turn, { lacks, local, cloud }: TurnFacts): Promise<void> {
  if (lacks === undefined) return;
  const text =
    lacks === 'local'
      ? `The model ${options.local} is not there, so all of this runs in the cloud, on ${cloud?.label ?? ''}. ${howToGet(options.local)}, or name another one with --local.`
      : `The model ${options.cloud ?? ''} is not there, or its service could not be asked for it, so all of this runs on this machine, on ${local?.label ?? ''}.`;
  await log.append({ type: 'notice-added', level: 'warning', code: 'model-lacking', text });
}

/** Rules that could not be read are said to be so in every turn that they would have held for. */
async function reportRuleProblems(turn: Turn, { routes }: TurnFacts): Promise<void> {
  if (routes.problems.length === 0) return;
  const text = routes.problems.join('\n');
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'route-rules', text });
}

/** `--check`, else the project's test command, else none. */
function criterionOf(turn: Turn): Criterion | null {
  if (turn.options.check !== null) return { command: turn.options.check, source: 'option' };
  const test = turn.found.facts?.facts.test ?? null;
  return test === null ? null : { command: test.command, source: 'project' };
}

function cascadeOf(turn: Turn): Stage[] {
  const { facts } = turn.found;
  return [...chooseCascade({ ...turn.options, local: facts?.local ?? null, cloud: facts?.cloud ?? null })];
}

function modelOf(found: TurnFacts, stage: Stage | undefined): ModelInfo | null {
  return [found.local, found.cloud].find((model) => model !== null && model.id === stage?.model) ?? null;
}

interface FittingRecipe {
  readonly recipe: Recipe;
  readonly fit: RecipeFit;
}

/** From stage to stage until one has done it, a limit is met, or there is none left. */
async function runCascade(turn: Turn, known: TurnBaseline, cascade: readonly Stage[]): Promise<TurnEnd> {
  const fitting = bestRecipe(turn, known);
  if (!known.canExecute && !turn.options.plan && !known.isQuestion) return missingSandbox(known.found);
  const blind = turn.given.hasImages ? missingEyes(turn, known.found) : null;
  if (blind !== null) return blind;
  const left = fitting === null ? withoutRecipes(cascade, turn.options.strategy) : cascade;
  const isJudged = fitting !== null && known.before?.passed === false && known.before.unrelated !== true;
  const order = orderStages(turn, known.found, left, isJudged ? 'recipe' : 'loop');
  const stages = [...order.stages];
  let last: TurnEnd = { reason: 'gave-up', text: 'No recipe fits this task.', confidence: null, failure: null };
  let cause: StageCause | null = null;
  let failed: EarlierAttempt | null = null;
  let doubted: Doubted | null = null;
  for (let index = 0; index < stages.length; index += 1) {
    const stage = stages[index];
    const info = modelOf(known.found, stage);
    const provider = info === null ? null : turn.dependencies.provider(info.provider);
    if (stage === undefined || info === null || provider === null) continue;
    if (stage.where === 'cloud' && isOffline(turn)) {
      if (!turn.progress.isCloudUnasked) last = withoutCloud(last, cause);
      turn.progress.isCloudUnasked = true;
      continue;
    }
    const used = stage.strategy === 'recipe' ? fitting : null;
    const start = index === 0 && used !== null ? order.why : null;
    const reason = `${reasonFor(stage, index, used?.fit ?? null, last)}${start === null ? '' : ` ${start}`}`;
    const recipe = used?.recipe ?? null;
    await turn.log.append({ type: 'stage-chosen', stage, recipe: recipe?.id ?? null, reason, index, cause });
    turn.limits.forgetCalls();
    const others = used === null ? otherDrivers(turn, known.found, { stages, stage }) : [];
    const before = recipe === null || stage.where === 'local' ? null : failed;
    const stronger = stage.where === 'local' ? strongerOf(turn, known.found, stages.slice(index + 1)) : null;
    const run = { stage, model: { info, provider }, recipe, before, reason, others, stronger };
    const outcome = await runStage(turn, known, run);
    if (outcome.type === 'ended') return outcome.end;
    // Who else could drive has been asked in there.
    if (others.length > 0) stages.splice(index + 1, stages.length, ...stages.slice(index + 1).filter(isNoLoop));
    cause = causeOf(outcome);
    if (outcome.type === 'stopped') {
      const local = doubted === null ? known.found.local : null;
      if (!goesOnLocally(turn, outcome.stop, { stages, index, local })) {
        return unfinished(turn, known, { doubted, end: stopEnd(outcome.stop) });
      }
      continue;
    }
    if (outcome.doubted !== undefined) {
      doubted = outcome.doubted;
      stages.splice(index + 1, stages.length, ...stages.slice(index + 1).filter(({ where }) => where === 'cloud'));
    }
    if (recipe !== null)
      failed = { isCut: outcome.isCut === true, tries: turn.options.routing.numbers.secondTries ?? null };
    last = worseOf(last, outcome.end);
    const { failure } = outcome.end;
    if (failure !== null && isProviderFailure(failure)) {
      stages.splice(index + 1, stages.length, ...stages.slice(index + 1).filter(({ model }) => model !== stage.model));
    }
  }
  return unfinished(turn, known, { doubted, end: last });
}

/** Nobody has done it, or not better: what was found on the way and doubted is worth more than nothing. */
async function unfinished(
  turn: Turn,
  known: TurnBaseline,
  { doubted, end }: { readonly doubted: Doubted | null; readonly end: TurnEnd },
): Promise<TurnEnd> {
  // What came after it is taken back with it, so that needs no test of its own.
  if (doubted === null || !(await reapplyDoubtedChange(turn, doubted))) {
    await revertWorseChanges(turn, known);
    return end;
  }
  return end.reason === 'gave-up' || end.failure !== null
    ? doubted.end
    : { ...end, text: `${end.text} ${doubted.end.text}` };
}

/** The first in the cloud that would go on with the work. */
function strongerOf(turn: Turn, found: TurnFacts, stages: readonly Stage[]): StageRun['stronger'] {
  const stage = stages.find(({ where }) => where === 'cloud');
  const info = modelOf(found, stage);
  const provider = info === null ? null : turn.dependencies.provider(info.provider);
  if (stage === undefined || info === null || provider === null || isOffline(turn)) return null;
  return { stage, model: { info, provider } };
}

/** `cause`: why the stage before was left; null: none was escalated. */
function withoutCloud(last: TurnEnd, cause: StageCause | null): TurnEnd {
  return { ...last, text: `${cause === null ? '' : `${last.text} `}The cloud is out of reach, so it was not asked.` };
}

type StageCause = NonNullable<EventOf<'stage-chosen'>['cause']>;

/** Why the next stage is escalated. */
function causeOf(outcome: Exclude<StageOutcome, { type: 'ended' }>): StageCause {
  if (outcome.type === 'gave-up') return outcome.cause;
  return outcome.stop.reason === 'fenced' ? 'fence' : 'cap';
}

/** What failed is told before what was only given up after it: that is what a person can do something about. */
function worseOf(last: TurnEnd, next: TurnEnd): TurnEnd {
  return next.failure === null && next.reason === 'gave-up' && last.failure !== null ? last : next;
}

function isNoLoop({ strategy }: Stage): boolean {
  return strategy !== 'loop';
}

function bestRecipe(turn: Turn, known: TurnBaseline): FittingRecipe | null {
  // A program shows its model no images.
  if (turn.options.strategy === 'loop' || turn.given.hasImages) return null;
  const subject = subjectOf(turn, known);
  let best: FittingRecipe | null = null;
  for (const recipe of [...turn.dependencies.recipes].sort((left, right) => (left.id < right.id ? -1 : 1))) {
    const fit = recipe.fits(subject);
    if (fit !== null && (best === null || fit.score > best.fit.score)) best = { recipe, fit };
  }
  return best;
}

function reasonFor(stage: Stage, index: number, fit: RecipeFit | null, last: TurnEnd): string {
  const why = fit === null ? (stage.strategy === 'loop' ? 'The model chooses the tools itself.' : '') : fit.reason;
  return index === 0 ? why : `${last.text} ${why}`.trim();
}

/**
 * Going on locally at a cap (`--at-cap local`, or a person said so) and at a fence: what would cost money, or leave the
 * machine, is left out, and where nothing else is left the local model goes on.
 */
function goesOnLocally(
  turn: Turn,
  stop: LimitStop,
  { stages, index, local }: { readonly stages: Stage[]; readonly index: number; readonly local: ModelInfo | null },
): boolean {
  const isWanted = stop.goesOnLocally ?? turn.options.atCap === 'local';
  if ((stop.reason !== 'cap' && stop.reason !== 'fenced') || !isWanted || local === null) return false;
  if (stages[index]?.model === local.id) return false;
  const rest = stages.slice(index + 1).filter((stage) => stage.model === local.id);
  const fallback: Stage = { strategy: 'loop', model: local.id, where: 'local' };
  stages.splice(index + 1, stages.length, ...(rest.length > 0 ? rest : [fallback]));
  return true;
}

export function stopEnd(stop: LimitStop): TurnEnd {
  return { reason: stop.reason, text: stop.text, confidence: null, failure: null };
}

function endOf(turn: Turn, error: unknown): TurnEnd {
  if (isCancelled(error) || turn.signal.aborted) {
    if (turn.signal.reason === 'time-limit' || turn.limits.timeExceeded(turn.log.lastAt()))
      return stopEnd(timeStop(turn.options.maxMinutes));
    return { reason: 'cancelled', text: 'Cancelled.', confidence: null, failure: null };
  }
  const failure = toFailure(error);
  if (error instanceof AppError && (failure.code === 'disk-full' || failure.code === 'log-damaged')) throw error;
  const reason = failure.code === 'sandbox-lost' ? 'sandbox-lost' : 'error';
  return { reason, text: failure.message, confidence: null, failure };
}

function missingModel(turn: Turn): TurnEnd {
  const { policy, local, cloud } = turn.options;
  const isCloud = policy === 'cloud';
  const name = isCloud ? cloud : local;
  const message = name === null ? 'No cloud model is set up.' : `The model ${name} is not there.`;
  const hint = isCloud
    ? 'Look for its name in `dewpoint models list`, or add an endpoint with `dewpoint settings set providers.NAME …`; --cloud names it.'
    : `${howToGet(local)}, or name another one with --local; \`dewpoint models list\` shows what there is.`;
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'missing-model', message, hint } };
}

function missingSandbox({ sandbox: { missing } }: TurnFacts): TurnEnd {
  const what = missing?.message ?? 'There is no sandbox for commands on this machine.';
  const message = `${what} So nothing can be changed or run. Questions and --plan still work.`;
  const hint =
    missing?.hint ??
    'Install and start Docker (or Podman with its Docker socket), then try again; `dewpoint doctor` says what is missing.';
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'missing-sandbox', message, hint } };
}

/** Null: somebody who may work on it sees pictures. Nothing is sent without them instead. */
function missingEyes({ options }: Turn, { local, cloud }: TurnFacts): TurnEnd | null {
  const models = [options.policy === 'cloud' ? null : local, options.policy === 'local' ? null : cloud].filter(
    (info) => info !== null,
  );
  if (models.length === 0 || models.some(({ capabilities }) => capabilities.images === true)) return null;
  const message = `${models.map(({ label }) => label).join(' and ')} ${models.length === 1 ? 'does' : 'do'} not see pictures, and the message has one.`;
  const hint =
    'Send it to a model that sees them, or without it. In the terminal: /model PROVIDER/NAME and /image FILE in dewpoint chat, or dewpoint run --session ID --local PROVIDER/NAME --image FILE "TASK" (--policy cloud --cloud PROVIDER/NAME for one elsewhere).';
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'missing-model', message, hint } };
}
