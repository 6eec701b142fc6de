import type { Strategy, ModelInfo, Stage } from '@shared/models/model-info.ts';
import type { TurnPolicy } from '@shared/routing/routing.ts';

export interface CascadeSubject {
  readonly strategy: 'auto' | Strategy;
  readonly policy: TurnPolicy;
  /** Null: not configured, or not on this machine. */
  readonly local: ModelInfo | null;
  readonly cloud: ModelInfo | null;
}

/**
 * The stages that a task may go through, cheaper ones first. A requested strategy is the only one; otherwise a model
 * gets the strategies that its probe passed, best first. Empty if no allowed model is available.
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

/** A chat, or the call of a tool that was chosen, needs no probe, so each model may do it, in the order of the cascade. */
export function loopOfEach(cascade: readonly Stage[]): readonly Stage[] {
  const first = cascade.filter((one, at) => cascade.findIndex(({ model }) => model === one.model) === at);
  return first.map((one) => ({ ...one, strategy: 'loop' }));
}

/**
 * The stages that are left if no recipe fits the task. Unless a strategy was requested, there is always one: the loop
 * on the first model, even if its probe failed, because there is no other way to try.
 */
export function withoutRecipes(cascade: readonly Stage[], strategy: 'auto' | Strategy): readonly Stage[] {
  const loops = cascade.filter((candidate) => candidate.strategy === 'loop');
  const first = cascade[0];
  if (loops.length > 0 || strategy === 'recipe' || first === undefined) return loops;
  return [{ ...first, strategy: 'loop' }];
}
