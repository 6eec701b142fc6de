import { AppError, toFailure } from '@shared/errors.ts';
import type { ModelInfo, Stage } from '@shared/models/model-info.ts';
import { waysToWork } from '../../routing/ways-to-work.ts';
import { modelsOfTurn } from '../preparation/gather-turn-facts.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { isAboutFailures, needsNetwork, needsPackage, needsProgram } from '../../recipes/fix/about-failures.ts';
import { runCheck } from '../gate/run-check.ts';
import { isJudgedByCheck } from './judge-work.ts';
import { missingModel } from './missing-parts.ts';
import { runTask } from './run-task.ts';
import { stopEnd, timeStop } from './turn-limits.ts';
import { readProjectMap } from '../preparation/read-project-map.ts';
import { readInstructions } from '../preparation/read-project-instructions.ts';
import { readKnowledge } from '../preparation/read-knowledge.ts';
import { linesOfUse, noteMemoryUse, readMemory } from '../preparation/read-memory.ts';
import { readNamedSkill, tellHeldSkills } from '../preparation/turn-skills.ts';
import { orNoted } from '../../lib/log.ts';
import type { SuccessCheck } from '../../recipes/define.ts';
import { resolveHardLinks } from '../preparation/resolve-hard-links.ts';
import { asksToRun } from '@shared/text/task-kind.ts';
import { tellTableFigures, warnWrongSums } from '../gate/tell-figures.ts';
import type { CheckResult } from '@shared/session/session-state.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { fetchLeftTasks } from '../preparation/fetch-left-tasks.ts';
import { gatherTurnFacts, modelNotices } from '../preparation/gather-turn-facts.ts';
import { isCancelled } from './turn-log.ts';
import type { TurnRouting } from '@shared/events/turn-events.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd } from './turn-baseline.ts';

/**
 * Works on one user message, from `turn-started` to `turn-ended`. Rejects only if the log itself cannot be written;
 * everything else becomes the reason of the end. `recorded`: the facts, if a replay has them already.
 */
export async function runTurn(turn: Turn, messageId: string, recorded: TurnFacts | null = null): Promise<TurnEnd> {
  let isStarted = false;
  const start = async (): Promise<void> => {
    isStarted = true;
    const { maxSteps, maxMinutes, maxTokens, maxCalls, maxUsd, assistant } = turn.options;
    const caps = turn.found.facts?.caps;
    const ofCalls = maxCalls === undefined ? {} : { maxCalls };
    const limits = { maxSteps, maxMinutes, maxTokens, ...ofCalls, maxUsd, ...(caps === undefined ? {} : { caps }) };
    const check = checkOf(turn);
    const cascade = waysOf(turn);
    const { mode, answers } = turn.given;
    const taken = {
      mode,
      ...(answers === null ? {} : { answers: answers.turnId }),
      ...(assistant === undefined ? {} : { assistant: assistant.name }),
    };
    const began = { type: 'turn-started', messageId, ...taken, check, cascade, limits } as const;
    const { at } = await turn.log.close(began);
    turn.limits.start(at);
  };
  const end = await work(turn, start, recorded).catch((error: unknown) => endOf(turn, error));
  if (!isStarted) await start();
  const { failure } = end;
  await turn.prompt.warm.stop();
  // Nothing that this turn started goes on after it.
  await turn.dependencies.tools.agents?.end();
  // A cancelled turn does not wait here: the next turn, or the end of the sandbox, does this check.
  await turn.dependencies.sandbox.settle(turn.signal);
  await warnDegraded(turn);
  await warnWrongSums(turn, end);
  const memory = linesOfUse(turn, turn.found.facts?.memory, end);
  await turn.log.close({
    type: 'turn-ended',
    reason: end.reason,
    text: end.text,
    confidence: end.confidence,
    failure: failure === null ? null : { ...failure },
    // A fork cancels the turn that it cuts off, and does not know this.
    ...(end.reason === 'cancelled' ? {} : { routing: routingOf(turn) }),
    ...(memory.length === 0 ? {} : { memory: [...memory] }),
  });
  await noteMemoryUse(turn.dependencies, memory).catch(orNoted('The use of the memory was not noted', undefined));
  return end;
}

/** Where the turn can work. A model of the order that is not available counts as none. */
function routingOf({ options, found: { facts } }: Turn): TurnRouting {
  const { policy, cloud, modelOrder } = options;
  const isOther = facts?.others?.some(({ where }) => where === 'cloud') === true;
  const isNamed = cloud !== null && (modelOrder === undefined || modelOrder.includes(cloud));
  return { policy, hasCloud: isNamed || isOther };
}

/** Finds the success check, and lets the models work on the task. */
async function work(turn: Turn, start: () => Promise<void>, recorded: TurnFacts | null): Promise<TurnEnd> {
  const found = recorded ?? (await gatherTurnFacts(turn));
  turn.found.facts = found;
  const canExecute = found.sandbox.tier !== 'read-only';
  const check = checkOf(turn);
  const cascade = waysOf(turn);
  await start();
  await reportRuleProblems(turn, found);
  for (const notice of modelNotices(turn.options, found)) await turn.log.append({ type: 'notice-added', ...notice });
  const first = modelsOfTurn(turn.options, found).find(({ id }) => id === cascade[0]?.model) ?? null;
  if (first === null) return missingModel(turn.options);
  const asks = turn.given.isQuestion;
  // If the task is to run tests, that run is the work itself; do not run them twice.
  const isRun = asksToRun(turn.task) !== null;
  const needsCheck =
    check !== null && canExecute && turn.options.mode !== 'plan' && !asks && !isRun && isJudgedByCheck(turn, false);
  if (found.sandbox.hardLinks !== undefined) await resolveHardLinks(turn, found.sandbox.hardLinks);
  await readInstructions(turn, found.facts.instructionFiles, first);
  if (found.parts?.includes('symbols') === true) await readProjectMap(turn, first);
  if (found.memory !== undefined) await readMemory(turn, found.memory);
  for (const one of found.knowledge ?? []) await readKnowledge(turn, one);
  if (isSmall(first)) await tellTableFigures(turn);
  await tellHeldSkills(turn);
  await readNamedSkill(turn);
  if (turn.dependencies.journal.state().toolCalls.some(({ task }) => task !== undefined)) await fetchLeftTasks(turn);
  const isApart = ({ exitCode, summary }: CheckResult): boolean =>
    check?.source === 'project' &&
    exitCode !== null &&
    (needsNetwork(turn.task, summary) ||
      needsProgram(turn.task, { exitCode, summary }) ||
      (found.sandbox.lacksPackages === true && needsPackage(turn.task, summary, found.facts)) ||
      !isAboutFailures(turn.task, summary));
  const { answers } = turn.given;
  const kept = answers === null || !needsCheck ? null : answers.before;
  const before = needsCheck && answers === null ? await runCheck(turn, check, 'before', isApart) : kept;
  const end = await runTask(turn, { found, check, before, isQuestion: asks, canExecute });
  turn.log.check();
  return end;
}

/** Offers a review of steps that ran locally because no service in the cloud could be reached. */
async function warnDegraded(turn: Turn): Promise<void> {
  const { degraded } = turn.steps.trajectory();
  const { isCloudUnasked } = turn.progress;
  if ((degraded === 0 && !isCloudUnasked) || turn.signal.aborted) return;
  const steps = degraded === 1 ? '1 step ran' : `${degraded} steps ran`;
  const who = strongestCloud(turn)?.label ?? 'the cloud';
  const text = [
    ...(degraded === 0 ? [] : [`${steps} on this machine because ${who} could not be reached.`]),
    ...(isCloudUnasked ? [`Where this machine gave up, ${who} would have gone on, but could not be reached.`] : []),
    `To have ${who} review the work, send the task again.`,
  ].join(' ');
  await turn.log.close({ type: 'notice-added', level: 'info', code: 'route-degraded', text });
}

/** The strongest model in the cloud that the policy lets work on the turn. */
function strongestCloud({ options, found }: Turn): ModelInfo | null {
  if (found.facts === null) return null;
  return modelsOfTurn(options, found.facts).findLast(({ where }) => where === 'cloud') ?? null;
}

/** Reports routing rules that could not be read, in every turn that they would have applied to. */
async function reportRuleProblems(turn: Turn, { routes }: TurnFacts): Promise<void> {
  if (routes.problems.length === 0) return;
  const text = routes.problems.join('\n');
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'route-rules', text });
}

/** `--check`, else the project's test command, else none. */
function checkOf(turn: Turn): SuccessCheck | null {
  if (turn.options.check !== null) return { command: turn.options.check, source: 'option' };
  const test = turn.found.facts?.facts.test ?? null;
  return test === null ? null : { command: test.command, source: 'project' };
}

/** Every way in which the models of the turn may work, in their order. */
function waysOf({ options, found: { facts } }: Turn): Stage[] {
  if (facts === null) return [];
  const models = modelsOfTurn(options, facts);
  const { strategy, policy } = options;
  return waysToWork({ strategy, policy, models, hasRecipe: true, isDirect: false, isSmall })
    .filter(({ canDrive }) => canDrive)
    .map(({ info, strategy: way }) => ({ strategy: way, model: info.id, where: info.where }));
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
