import type { Gear, ModelInfo, Rung } from '@shared/models.ts';
import { maxOutputTokens } from './build-prompt.ts';
import { routeStep } from './route-step.ts';
import type { LoopRung } from './run-loop.ts';
import type { TurnFacts } from './turn-facts.ts';
import type { Turn } from './turn.ts';

/** What the system text, the tools and the facts of a project take before the task itself, in tokens. */
const OPENING_TOKENS = 3_000;

export interface RungOrder {
  readonly rungs: readonly Rung[];
  /** Why it begins where it does; null: there was nothing to choose. */
  readonly why: string | null;
}

/**
 * The ladder in the order in which it is climbed: from this machine up, unless a start in the cloud is worth it.
 * `gear`: `recipe` where a program does the work whose every try a failing test judges; what it gives up leaves nothing.
 */
export function orderRungs(turn: Turn, found: TurnFacts, rungs: readonly Rung[], gear: Gear): RungOrder {
  const here = rungs.filter(({ where }) => where === 'local');
  const there = rungs.filter(({ where }) => where === 'cloud');
  if (here.length === 0 || there.length === 0 || turn.options.policy !== 'hybrid') return { rungs, why: null };
  const promptTokens = OPENING_TOKENS + turn.tokens.count(turn.task);
  const seats = modelsOf(found).map((info) => {
    const canDrive = rungs.some(({ model }) => model === info.id);
    return { info, promptTokens, maxOutputTokens: maxOutputTokens(info), canDrive };
  });
  const decision = routeStep(turn, { purpose: 'act', gear, seats });
  const isUp = decision?.chosen?.info.where === 'cloud';
  return { rungs: isUp ? [...there, ...here] : rungs, why: decision?.text ?? null };
}

/** Who else may drive a loop. One that did not pass the probe is named, so that it can be said why it does not. */
export function otherDrivers(
  turn: Turn,
  found: TurnFacts,
  { rungs, rung }: { readonly rungs: readonly Rung[]; readonly rung: Rung },
): readonly LoopRung[] {
  if (turn.options.routing === null || turn.options.policy !== 'hybrid') return [];
  return modelsOf(found).flatMap((info): readonly LoopRung[] => {
    const provider = turn.services.provider(info.provider);
    if (info.id === rung.model || provider === null) return [];
    const canDrive = rungs.some(({ gear, model }) => gear === 'loop' && model === info.id);
    return [{ rung: { gear: 'loop', model: info.id, where: info.where }, model: { info, provider }, canDrive }];
  });
}

function modelsOf({ local, cloud }: TurnFacts): readonly ModelInfo[] {
  return [local, cloud].filter((info) => info !== null);
}
