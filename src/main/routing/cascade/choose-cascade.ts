import type { Strategy, ModelInfo, Stage } from '@shared/models/model-info.ts';
import type { TurnPolicy } from '@shared/routing/routing.ts';

export interface CascadeSubject {
  readonly strategy: 'auto' | Strategy;
  readonly policy: TurnPolicy;
  /** Null: not set up, or not on this machine. */
  readonly local: ModelInfo | null;
  readonly cloud: ModelInfo | null;
}

/**
 * The stages that a task may go through, as data: cheaper first. A strategy that was asked for is the only one; else a model
 * is driven in the strategies that its probe passed, best first. Empty when no model that the policy allows is there.
 */
export function chooseCascade(subject: CascadeSubject): readonly Stage[] {
  const models = [
    subject.policy === 'cloud' ? null : subject.local,
    subject.policy === 'local' ? null : subject.cloud,
  ].filter((model) => model !== null);
  return models.flatMap((model) => strategiesFor(model, subject.strategy).map((strategy) => stage(strategy, model)));
}

function strategiesFor(model: ModelInfo, asked: 'auto' | Strategy): readonly Strategy[] {
  if (asked !== 'auto') return [asked];
  return model.strategies.length === 0 ? ['recipe'] : model.strategies;
}

function stage(strategy: Strategy, model: ModelInfo): Stage {
  return { strategy, model: model.id, where: model.where };
}

/** An answer in words needs no probe: each model may give it, in the order of the cascade. */
export function forChat(cascade: readonly Stage[]): readonly Stage[] {
  const first = cascade.filter((one, at) => cascade.findIndex(({ model }) => model === one.model) === at);
  return first.map((one) => ({ ...one, strategy: 'loop' }));
}

/**
 * The stages that are left when no recipe fits the task. Where a strategy was not asked for there is always one:
 * the loop on the first model, also where its probe did not pass, for there is no other way to try.
 */
export function withoutRecipes(cascade: readonly Stage[], strategy: 'auto' | Strategy): readonly Stage[] {
  const loops = cascade.filter((candidate) => candidate.strategy === 'loop');
  const first = cascade[0];
  if (loops.length > 0 || strategy === 'recipe' || first === undefined) return loops;
  return [{ ...first, strategy: 'loop' }];
}
