import type { CoreApi } from '../api/core-api.ts';
import type { ModelParts } from './model-parts.ts';
import { probeModel } from './probe.ts';
import type { CoreSessions } from './sessions.ts';

type ModelCommands = Pick<
  CoreApi,
  'listModels' | 'showModel' | 'pullModel' | 'importModel' | 'removeModel' | 'probeModel' | 'mendModel' | 'plan'
>;

/** A part of `compose`: what hosts can ask of models. */
export function modelCommands(
  { models, probed, plan }: Pick<ModelParts, 'models' | 'probed' | 'plan'>,
  sessions: CoreSessions,
): ModelCommands {
  return {
    listModels: models.list,
    showModel: models.show,
    pullModel: models.pull,
    importModel: models.add,
    removeModel: models.remove,
    probeModel: (id, onProgress, signal) =>
      probeModel(id, { sessions, probed, info: models.info, now: Date.now }, { onProgress, signal }),
    mendModel: models.mend,
    plan: plan.plan,
  };
}
