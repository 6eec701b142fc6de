import { isDeepStrictEqual } from 'node:util';
import type { ModelInfo, Stage } from '@shared/models/model-info.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { Decision, ModelOption, Way } from '../../routing/define.ts';
import { hasChoice } from '../../routing/hard-rules.ts';
import { buildRequest, chatShape, isSmall, promptShape, requestBytes } from '../prompt/build-prompt.ts';
import type { PromptShape } from '../prompt/build-prompt.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { Tool } from '../../tools/define.ts';
import { isLeft } from '../loop/narrowed-tools.ts';
import { toolsOfTurn } from '../loop/plan-notes.ts';
import { passFencesAhead } from '../step/pass-fences.ts';
import { routeStep } from '../step/route-step.ts';
import { resolveModel } from './agent-dependencies.ts';
import { isAskedFirst } from './wanted-tool.ts';
import type { Driver, ReadyModel, TaskWork, Worker } from './task-work.ts';
import type { Turn } from './turn.ts';
import type { Entry } from '../../recipes/conversation-entries.ts';

/** An estimate of the system text, the tools and the project facts that precede the task of a recipe, in tokens. */
const OPENING_TOKENS = 3_000;

/** What works next, with its model; or, with `worker` null, why the work stops. */
export interface WorkDecision {
  readonly decision: Decision;
  readonly worker: Worker | null;
}

/**
 * Asks the router what works next, and hands the work to it. The only place where a turn chooses who works on its task.
 * A move to the cloud passes the fences first, so that no move is announced that then does not happen. Throws
 * `cancelled`.
 */
export async function decideWork(work: TaskWork): Promise<WorkDecision> {
  for (;;) {
    const decision = decide(work);
    const { chosen } = decision;
    const model = resolveModel(work.turn.dependencies, chosen?.info);
    if (chosen === null || model === null) return { decision, worker: null };
    const worker: Worker = { stage: stageOf(chosen), model, reviewer: readyOf(work, decision.reviewer) };
    const isMove = work.current === null || !isSame(work.current, chosen);
    const note = isMove && chosen.strategy === 'loop' ? handoverNote(work, decision) : null;
    if (mustAskFences(work, decision, isMove) && !(await passesFences(work, worker, { decision, note }))) continue;
    if (isMove) await enter(work, chosen, { decision, note });
    work.trouble = null;
    if (work.current?.isLeft === true) work.current = { ...work.current, isLeft: false };
    return { decision, worker };
  }
}

function readyOf({ turn }: TaskWork, option: ModelOption | null): ReadyModel | null {
  const model = resolveModel(turn.dependencies, option?.info);
  return option === null || model === null ? null : { stage: stageOf(option), model };
}

const stageOf = ({ info, strategy }: Way): Stage => ({ strategy, model: info.id, where: info.where });

function isSame(current: Way, chosen: Way): boolean {
  return current.info.id === chosen.info.id && current.strategy === chosen.strategy;
}

function decide(work: TaskWork): Decision {
  const { turn, trouble, isRecipeChecked } = work;
  const { shut, taint } = work.door;
  const asked = turn.given.answers?.model ?? null;
  const isClosed = shut !== null && turn.options.policy === 'cloud';
  return routeStep(turn, {
    purpose: turn.options.mode === 'plan' ? 'plan' : 'act',
    options: optionsOf(work),
    spent: work.spent,
    trouble,
    shut,
    taint,
    isRecipeChecked,
    ...(asked === null ? {} : { driver: asked }),
    ...(work.current?.isLeft === true ? { isChosenAnew: true } : {}),
    // At a limit, the person chose to go on here, whatever the policy says.
    ...(isClosed ? { policy: 'hybrid' } : {}),
  });
}

/** The ways with the size of the prompt that each would get. */
function optionsOf(work: TaskWork): readonly ModelOption[] {
  const { task, prompt } = work.turn;
  return work.ways.map((way) => ({
    ...way,
    promptTokens: way.strategy === 'loop' ? promptTokens(work, way.info) : OPENING_TOKENS + prompt.tokens.count(task),
    maxOutputTokens: maxOutputTokens(way.info),
  }));
}

/** The tokens of the conversation so far, as a model of the loop gets it, with what stands below it. */
export function promptTokens(work: TaskWork, info: ModelInfo): number {
  const { prompt } = work.turn;
  const shape = shapeOf(work, info);
  return prompt.tokens.countBytes(requestBytes(shape, entriesFor(prompt, shape, null), info));
}

/** The form of the prompt for a model that drives the loop. */
export function shapeOf({ turn, known, loop, wanted }: TaskWork, info: ModelInfo): PromptShape {
  const made = loop.shapes.get(info);
  if (made !== undefined) return made;
  const isChat = turn.given.mode === 'chat';
  const draws = turn.found.facts?.draws === true;
  const asksPerson = turn.options.approve !== 'deny';
  const { limits } = turn.prompt.conversation.skills();
  const narrowed = limits.length === 0 ? {} : { isLeft: (tool: Tool) => isLeft(limits, tool) };
  const about = { mode: turn.options.mode, canExecute: known.canExecute, asksPerson, wanted, ...narrowed };
  const shape = isChat
    ? chatShape(info, { draws, tools: toolsOfTalk({ turn, loop }, info), wanted: loop.wanted })
    : promptShape(info, toolsOfTurn(turn), about);
  loop.shapes.set(info, shape);
  return shape;
}

/** A model that is asked which tool it needs gets that one alone, until it has called it. */
function toolsOfTalk({ turn, loop }: Pick<TaskWork, 'turn' | 'loop'>, info: ModelInfo): readonly Tool[] {
  const tools = toolsOfTurn(turn).filter(({ isForStrong }) => isForStrong !== true || !isSmall(info));
  return isAskedFirst(info) ? tools.filter(({ name }) => name === loop.wanted) : tools;
}

export const driverOf = (work: TaskWork, worker: Worker): Driver => ({
  ...worker,
  shape: shapeOf(work, worker.model.info),
});

/** The request of a model's first step in the loop. `note`: a text that it is shown before. */
export function firstRequest(work: TaskWork, info: ModelInfo, note: string | null): ModelRequest {
  const { options, dependencies, prompt } = work.turn;
  const shape = shapeOf(work, info);
  const cacheKey = `${dependencies.journal.sessionId}:loop`;
  const entries = entriesFor(prompt, shape, note);
  return buildRequest(shape, entries, info, { seed: options.seed, temperature: 0, cacheKey });
}

/** The conversation with what stands below it: `note`, and what the form of the prompt says there. */
export function entriesFor(
  { conversation }: Turn['prompt'],
  { below }: Pick<PromptShape, 'below'>,
  note: string | null,
): readonly Entry[] {
  const notes = [note, below ?? null].filter((one) => one !== null);
  return notes.length === 0 ? conversation.entries() : conversation.entriesWith(notes.join('\n\n'));
}

/** Whether the other model only brings an advantage. Nothing is lost if the step stays where it is. */
function isByChoice({ code }: Decision): boolean {
  return code === 'gain' || code === 'strain';
}

/**
 * Whether the conversation passes the fences before another model gets it, or before it begins with one that only brings
 * an advantage. Each question of a recipe passes them by itself, and so does a step that has no other place.
 */
function mustAskFences({ current, turn, ways }: TaskWork, decision: Decision, isMove: boolean): boolean {
  const { chosen } = decision;
  if (chosen?.strategy !== 'loop' || !hasChoice(ways)) return false;
  const begins = isByChoice(decision) && turn.steps.trajectory().steps === 0;
  return begins || (isMove && chosen.info.id !== (current ?? ways[0])?.info.id);
}

/** The user is asked only if the work needs the move, not for an advantage. */
async function passesFences(
  work: TaskWork,
  { stage, model }: ReadyModel,
  { decision, note }: { readonly decision: Decision; readonly note: string | null },
): Promise<boolean> {
  const { turn } = work;
  const built = firstRequest(work, model.info, note);
  const purpose = turn.options.mode === 'plan' ? 'plan' : 'act';
  const step = { purpose, stage, model, request: built, reason: { code: 'route', text: '' } } as const;
  const passage = await passFencesAhead(turn, isByChoice(decision) ? { ...step, isOptional: true } : step);
  if (passage.type === 'passed') {
    work.door.passed = { built, request: passage.request };
    if (stage.where === 'cloud') work.door.taint = [];
    return true;
  }
  work.door.taint = passage.hits;
  if (passage.isFinal) work.door.shut = { code: 'fence', text: passage.stop.text };
  return false;
}

/** Logs who works from here on, and why. Repeated calls are counted anew. */
async function enter(
  work: TaskWork,
  chosen: ModelOption,
  { decision, note }: { readonly decision: Decision; readonly note: string | null },
): Promise<void> {
  const { turn, trouble } = work;
  const reason = reasonFor(work, chosen, decision);
  const recipe = chosen.strategy === 'recipe' ? (work.fitting?.recipe ?? null) : null;
  const cause: EventOf<'stage-chosen'>['cause'] = trouble?.cause ?? causeOf(work, chosen);
  const index = work.entered;
  const seconds = recipe?.giveUpSeconds;
  await turn.log.append({
    type: 'stage-chosen',
    stage: stageOf(chosen),
    recipe: recipe?.id ?? null,
    reason,
    index,
    cause,
    ...(seconds === undefined ? {} : { giveUpSeconds: seconds }),
  });
  turn.limits.forgetCalls();
  if (work.current !== null) work.loop.unusableAnswers = 0;
  work.current = { ...chosen, reason };
  work.entered += 1;
  if (note !== null) await turn.log.append({ type: 'notice-added', level: 'info', code: 'handover', text: note });
}

/** After a spending limit or a fence, that is why another model works. */
function causeOf({ door: { shut }, current }: TaskWork, { info }: ModelOption): EventOf<'stage-chosen'>['cause'] {
  if (shut === null || current === null || info.where === 'cloud') return null;
  return shut.code === 'budget' ? 'cap' : 'fence';
}

function reasonFor(work: TaskWork, chosen: ModelOption, decision: Decision): string {
  const { turn, fitting, last, current } = work;
  const isChat = turn.given.mode === 'chat';
  const isFirst = current === null;
  if (isChat) return `${isFirst ? '' : `${decision.text} `}Answered directly.`;
  const fit = chosen.strategy === 'recipe' ? (fitting?.fit.reason ?? '') : 'The model chooses the tools itself.';
  if (isFirst && chosen.strategy === 'loop') return decision.code === 'only-model' ? `${decision.text} ${fit}` : fit;
  if (isFirst) return decision.code === 'only-model' ? fit : `${fit} ${decision.text}`;
  if (current.strategy === 'loop' && chosen.strategy === 'loop') return decision.text;
  if (current.isLeft === true) return `${decision.text} ${fit}`.trim();
  return `${last.text} ${fit}`.trim();
}

/** Two lines for the model that takes over: who worked before, and what went wrong. Null: no model answered. */
function handoverNote({ turn, ways, current }: TaskWork, decision: Decision): string | null {
  const answered = Object.entries(turn.steps.trajectory().answered);
  if (answered.length === 0 || current === null || current.strategy !== 'loop') return null;
  const who = answered.map(([id, steps]) => {
    const label = ways.find(({ info }) => info.id === id)?.info.label ?? id;
    return `${label} (${steps === 1 ? '1 step' : `${steps} steps`})`;
  });
  return `${who.join(' and ')} worked on this until here; you go on from here.\n${whyOf(decision)}`;
}

function whyOf({ layer, text }: Decision): string {
  return layer === 'L5' || layer === 'L4' ? text : 'What was done so far stands; nothing needs to be done again.';
}

/** The version of the request that already passed the fences, if there is one; otherwise the given request. */
export function passedOr({ door: { passed } }: TaskWork, request: ModelRequest): ModelRequest {
  return passed !== null && isDeepStrictEqual(passed.built, request) ? passed.request : request;
}

/**
 * Lets the local model read the conversation ahead while a cloud model works, if the conversation is expected to come
 * back: the local model has worked on it in this session, may take it over again, and its context can hold it.
 */
export function warmLocalPrompt(work: TaskWork, driver: Driver): void {
  const { turn, ways, door } = work;
  const { numbers } = turn.options.routing;
  if (driver.stage.where !== 'cloud' || door.shut !== null) return;
  const { models, takeovers } = turn.steps.trajectory();
  const way = ways.find(
    ({ info, strategy, canDrive }) =>
      info.where === 'local' && strategy === 'loop' && canDrive && models[info.id] !== undefined,
  );
  const model = resolveModel(turn.dependencies, way?.info);
  if (model === null || model.provider.prefill === undefined || takeovers >= numbers.maxTakeovers) return;
  const { info, provider } = model;
  if (promptTokens(work, info) + maxOutputTokens(info) > info.contextTokens) return;
  const request = firstRequest(work, info, null);
  const why = `The conversation is expected to come back (takeover ${takeovers} of at most ${numbers.maxTakeovers}).`;
  turn.prompt.warm.start({ info, provider, request, why });
}
