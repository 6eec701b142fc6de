import type { Ease } from '@shared/models/machine-strain.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { StrainWatch } from './strain-watch.ts';

/** What changes in a turn because this machine is under strain, and the model to use instead. */
export interface EasedTurn {
  readonly ease: Ease;
  /** For `smaller`, the model that the turn uses. Null: use the cloud model. */
  readonly model: ModelInfo | null;
}

/** `task` is the text that the user wrote. */
export type EaseTurn = (
  turn: { readonly local: ModelInfo; readonly task: string },
  signal: AbortSignal,
) => Promise<EasedTurn | null>;

export interface EaseOptions {
  readonly strain: Pick<StrainWatch, 'now'>;
  /** The local model in the settings. A model that was chosen for one task is not replaced. */
  readonly usual: () => string;
  /** All models that can be called now. */
  readonly models: (signal: AbortSignal) => Promise<readonly ModelInfo[]>;
  readonly hasPassed: (id: string) => Promise<boolean>;
  /** The task of a probe. It must run on its own model, so that is not replaced. */
  readonly probeTask: string;
}

/** Decides at the start of a turn. Null: there is no strain, or no other model to use. */
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

/** Pure. Smaller models on this machine that share a strategy with the given one, largest first. */
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
