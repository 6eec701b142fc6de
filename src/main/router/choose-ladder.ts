import type { Gear, ModelInfo, Rung } from '@shared/models.ts';

export interface LadderSubject {
  readonly gear: 'auto' | Gear;
  readonly policy: 'local' | 'hybrid' | 'cloud';
  /** Null: not set up, or not on this machine. */
  readonly local: ModelInfo | null;
  readonly cloud: ModelInfo | null;
}

/**
 * The rungs that a task may climb, as data: cheaper first. A gear that was asked for is the only one; else a model
 * is driven in the gears that its probe passed, best first. Empty when no model that the policy allows is there.
 */
export function chooseLadder(subject: LadderSubject): readonly Rung[] {
  const models = [
    subject.policy === 'cloud' ? null : subject.local,
    subject.policy === 'local' ? null : subject.cloud,
  ].filter((model) => model !== null);
  return models.flatMap((model) => gearsFor(model, subject.gear).map((gear) => rung(gear, model)));
}

function gearsFor(model: ModelInfo, asked: 'auto' | Gear): readonly Gear[] {
  if (asked !== 'auto') return [asked];
  return model.gears.length === 0 ? ['recipe'] : model.gears;
}

function rung(gear: Gear, model: ModelInfo): Rung {
  return { gear, model: model.id, where: model.where };
}

/**
 * The rungs that are left when no recipe fits the task. Where a gear was not asked for there is always one:
 * the loop on the first model, also where its probe did not pass, for there is no other way to try.
 */
export function withoutRecipes(ladder: readonly Rung[], gear: 'auto' | Gear): readonly Rung[] {
  const loops = ladder.filter((candidate) => candidate.gear === 'loop');
  const first = ladder[0];
  if (loops.length > 0 || gear === 'recipe' || first === undefined) return loops;
  return [{ ...first, gear: 'loop' }];
}
