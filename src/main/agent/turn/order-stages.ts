import type { Strategy, ModelInfo, Stage } from '@shared/models/model-info.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import { routeStep } from '../step/route-step.ts';
import type { NextStage } from '../../routing/cascade/cascade.ts';
import type { LoopStage } from '../loop/run-loop.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { resolveModel } from './agent-dependencies.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import type { Turn } from './turn.ts';

/** An estimate of the system text, the tools and the project facts that precede the task, in tokens. */
const OPENING_TOKENS = 3_000;

export interface StageOrder {
  readonly stages: readonly Stage[];
  /** Why it starts with this stage; null: there was no choice. */
  readonly why: string | null;
}

/**
 * The order in which stages run: local first, unless it is worth starting in the cloud.
 * The model whose question is answered goes on. `strategy`: `recipe` if a program does the work and a failing test judges each try; if it gives up, it leaves nothing
 * behind.
 */
export function orderStages(turn: Turn, found: TurnFacts, stages: readonly Stage[], strategy: Strategy): StageOrder {
  const asked = stages.filter(({ model }) => model === turn.given.answers?.model);
  if (asked.length > 0) return { stages: [...asked, ...stages.filter((one) => !asked.includes(one))], why: null };
  const here = stages.filter(({ where }) => where === 'local');
  const there = stages.filter(({ where }) => where === 'cloud');
  if (here.length === 0 || there.length === 0 || turn.options.policy !== 'hybrid') return { stages, why: null };
  const promptTokens = OPENING_TOKENS + turn.tokens.count(turn.task);
  const candidates = modelsOf(found).map((info) => {
    const canDrive = stages.some(({ model }) => model === info.id);
    return { info, promptTokens, maxOutputTokens: maxOutputTokens(info), canDrive };
  });
  const decision = routeStep(turn, { purpose: 'act', strategy, candidates });
  const isUp = decision.chosen?.info.where === 'cloud';
  return { stages: isUp ? [...there, ...here] : stages, why: decision.text };
}

/**
 * Without the recipes to which a strong model would fall back after its loop. Recipes are made for small models, so one
 * that no failing test judges does worse than the loop did.
 */
export function withoutFallbacks(found: TurnFacts, stages: readonly Stage[]): readonly Stage[] {
  const strong = modelsOf(found).filter((info) => !isSmall(info));
  return stages.filter(
    ({ strategy, model }, at) =>
      strategy === 'loop' ||
      !strong.some(({ id }) => id === model) ||
      stages.slice(0, at).every((before) => before.model !== model),
  );
}

/**
 * Other models that may drive the loop. Includes a model that did not pass the probe, so that the reason can be shown.
 */
export function otherDrivers(
  { options, dependencies }: Pick<Turn, 'options' | 'dependencies'>,
  found: TurnFacts,
  { stage, alsoLoop }: Pick<NextStage, 'stage' | 'alsoLoop'>,
): readonly LoopStage[] {
  if (options.policy !== 'hybrid') return [];
  return modelsOf(found).flatMap((info): readonly LoopStage[] => {
    const model = info.id === stage.model ? null : resolveModel(dependencies, info);
    if (model === null) return [];
    const canDrive = alsoLoop.some((one) => one.model === info.id);
    return [{ stage: { strategy: 'loop', model: info.id, where: info.where }, model, canDrive }];
  });
}

function modelsOf({ local, cloud }: TurnFacts): readonly ModelInfo[] {
  return [local, cloud].filter((info) => info !== null);
}
