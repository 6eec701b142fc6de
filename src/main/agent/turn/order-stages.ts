import type { Strategy, ModelInfo, Stage } from '@shared/models/model-info.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import { routeStep } from '../step/route-step.ts';
import type { NextStage } from '../../routing/cascade/cascade.ts';
import type { LoopStage } from '../loop/run-loop.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { resolveModel } from './agent-dependencies.ts';
import type { Turn } from './turn.ts';

/** What the system text, the tools and the facts of a project take before the task itself, in tokens. */
const OPENING_TOKENS = 3_000;

export interface StageOrder {
  readonly stages: readonly Stage[];
  /** Why it begins where it does; null: there was nothing to choose. */
  readonly why: string | null;
}

/**
 * The cascade in the order in which it is run: from this machine up, unless a start in the cloud is worth it.
 * `strategy`: `recipe` where a program does the work whose every try a failing test judges; what it gives up leaves nothing.
 */
export function orderStages(turn: Turn, found: TurnFacts, stages: readonly Stage[], strategy: Strategy): StageOrder {
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

/** Who else may drive a loop. One that did not pass the probe is named, so that it can be said why it does not. */
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
