import type { CoreApi } from '../server/core-api.ts';
import type { ModelParts } from '../compose-models.ts';
import { probeModel } from './probe-model.ts';
import type { OpenSessions } from '../sessions/open/open-sessions.ts';

type ModelCommands = Pick<
  CoreApi,
  'listModels' | 'showModel' | 'pullModel' | 'importModel' | 'removeModel' | 'probeModel' | 'repairModel' | 'plan'
>;

/** A part of `compose`: what hosts can ask of models. */
export function createModelCommands(
  { models, probed, plan }: Pick<ModelParts, 'models' | 'probed' | 'plan'>,
  sessions: OpenSessions,
): ModelCommands {
  return {
    listModels: models.list,
    showModel: models.show,
    pullModel: models.pull,
    importModel: models.add,
    removeModel: models.remove,
    probeModel: (id, onProgress, signal) =>
      probeModel(id, { sessions, probed, info: models.info, now: Date.now }, { onProgress, signal }),
    repairModel: models.repair,
    plan: plan.plan,
  };
}
