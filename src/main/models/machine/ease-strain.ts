import type { Ease } from '@shared/models/machine-strain.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { StrainWatch } from './strain-watch.ts';

/** What a turn does otherwise because this machine is under strain, and the model that takes the place of the other. */
export interface EasedTurn {
  readonly ease: Ease;
  /** Of `smaller`: what the turn runs on. Null: the cloud model. */
  readonly model: ModelInfo | null;
}

/** `task`: as the person wrote it. */
export type EaseTurn = (
  turn: { readonly local: ModelInfo; readonly task: string },
  signal: AbortSignal,
) => Promise<EasedTurn | null>;

export interface EaseOptions {
  readonly strain: Pick<StrainWatch, 'now'>;
  /** The local model of the settings: one that was named for a task stays. */
  readonly usual: () => string;
  /** Every model that can be called now. */
  readonly models: (signal: AbortSignal) => Promise<readonly ModelInfo[]>;
  readonly hasPassed: (id: string) => Promise<boolean>;
  /** A task that tells of its own model, which therefore stays. */
  readonly probeTask: string;
}

/** Decides at the start of a turn. Null: all is as usual, or there is nothing to put in its place. */
export function createEaseTurn({ strain, usual, models, hasPassed, probeTask }: EaseOptions): EaseTurn {
  return async ({ local, task }, signal) => {
    if (task === probeTask || local.id !== usual() || leavesMachine(local)) return null;
    const { act, causes } = await strain.now();
    if (act !== 'smaller' && act !== 'cloud') return null;
    const ease = { act, causes: [...causes] };
    if (act === 'cloud') return { ease, model: null };
    for (const model of smallerModels(await models(signal), local)) {
      if (await hasPassed(model.id)) return { ease, model };
    }
    return null;
  };
}

/** Pure. The largest first; all run on this machine and can be driven in a way that the other can. */
export function smallerModels(models: readonly ModelInfo[], local: ModelInfo): readonly ModelInfo[] {
  const size = local.parametersB;
  if (size === null) return [];
  const isSmaller = ({ where, parametersB, strategies }: ModelInfo): boolean =>
    where === 'local' &&
    parametersB !== null &&
    parametersB < size &&
    strategies.some((one) => local.strategies.includes(one));
  return models
    .filter((model) => isSmaller(model) && !leavesMachine(model))
    .sort((left, right) => (right.parametersB ?? 0) - (left.parametersB ?? 0));
}
