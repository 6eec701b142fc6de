import type { ModelInfo, Strategy } from '@shared/models/model-info.ts';
import type { TurnPolicy } from '@shared/routing/routing.ts';
import type { Way } from './define.ts';

export interface WaysSubject {
  readonly strategy: 'auto' | Strategy;
  readonly policy: TurnPolicy;
  /** The models that the policy allows, the smallest first. */
  readonly models: readonly ModelInfo[];
  /** Whether a recipe fits the task. */
  readonly hasRecipe: boolean;
  /** A chat, or the call of a tool that was chosen, needs no probe and no recipe. */
  readonly isDirect: boolean;
  /** Whether a model is one that recipes are made for. */
  readonly isSmall: (info: ModelInfo) => boolean;
}

/**
 * The ways in which a task may be worked on: for each allowed model the strategies that its probe passed, best first. A
 * requested strategy is the only one. A recipe never follows the loop of a large model: it is made for small ones.
 * Without any way left, the first model tries the loop, because there is no other way to try. Empty if no model is
 * allowed.
 */
export function waysToWork(subject: WaysSubject): readonly Way[] {
  const { models, strategy, isDirect } = subject;
  if (isDirect) return models.map((info) => ({ info, strategy: 'loop', canDrive: true }));
  const ways = models.flatMap((info) => waysOf(info, subject));
  const [first] = models;
  if (ways.some(({ canDrive }) => canDrive) || first === undefined || strategy === 'recipe') return ways;
  return [{ info: first, strategy: 'loop', canDrive: true }, ...ways.filter(({ info }) => info !== first)];
}

function waysOf(info: ModelInfo, { strategy, hasRecipe, isSmall, policy }: WaysSubject): readonly Way[] {
  const passed = info.strategies.length === 0 ? (['recipe'] as const) : info.strategies;
  const asked: readonly Strategy[] = strategy === 'auto' ? passed : [strategy];
  const usable = asked.filter((one) => one === 'loop' || hasRecipe);
  const isLarge = strategy === 'auto' && !isSmall(info) && usable[0] === 'loop';
  const fair = isLarge ? (['loop'] as const) : usable;
  const ways = fair.map((one) => ({ info, strategy: one, canDrive: true }));
  // Where models are compared, one that cannot drive the loop is shown with the reason.
  return policy === 'hybrid' && strategy !== 'recipe' && !fair.includes('loop')
    ? [...ways, { info, strategy: 'loop', canDrive: false }]
    : ways;
}
