import type { Priors } from '@shared/routing/priors.ts';
import { clockNow } from '../lib/async/clock.ts';
import { progressStream } from '../lib/async/push-queue.ts';
import { abilityIn } from '../routing/ability.ts';
import { currentScore } from '../routing/learned-score.ts';
import type { OpenSessions } from '../sessions/open/open-sessions.ts';
import type { Handlers } from '../server/handlers.ts';
import type { AvailableModels } from './available-models.ts';
import type { MemoryPlanner } from './memory/memory-planner.ts';
import { suggestForMachine, withQuantization } from './suggest/suggest-for-machine.ts';
import type { CatalogUpdates } from './suggest/catalog-updates.ts';
import type { SuggestOptions } from './suggest/suggest-for-machine.ts';
import { probeModel } from './probe-model.ts';
import type { StrainWatch } from './machine/strain-watch.ts';
import type { ProbeResults } from './probe-model.ts';

export interface ModelCommandsOptions {
  readonly models: AvailableModels;
  readonly probed: ProbeResults;
  readonly strain: StrainWatch;
  readonly plan: MemoryPlanner;
  /** A probe runs in a session of its own. */
  readonly sessions: OpenSessions;
  /** The models that may be suggested, with their known headers. */
  readonly catalog: SuggestOptions['catalog'];
  readonly updates: CatalogUpdates;
  /** What each model solved in this home. A route goes by the project first. */
  readonly records: () => Promise<Priors>;
}

/** The commands that list, fit, download, probe and remove models. */
export function createModelCommands({
  models,
  probed,
  plan,
  sessions,
  catalog,
  updates,
  strain,
  records,
}: ModelCommandsOptions) {
  const prober = { sessions, probed, info: models.info, now: clockNow };
  return {
    models: {
      list: async ({ signal }) => {
        const [entries, priors] = await Promise.all([models.list(signal), records()]);
        const numbers = { priors, score: currentScore.digest };
        return entries.map((entry) =>
          entry.info === null ? entry : { ...entry, ability: abilityIn(entry.info, numbers, 'act') },
        );
      },
      show: async ({ input, signal }) => {
        const entry = await models.show(input.id, input.fit, signal);
        return input.fit ? withQuantization(entry, { models, plan, catalog }, signal) : entry;
      },
      search: ({ input, signal }) => models.search(input.words, signal),
      suggest: ({ input, signal }) => suggestForMachine(input.machine, { models, plan, catalog }, signal),
      updateCatalog: ({ input, signal }) => updates.update(input.source, input.apply, signal),
      resetCatalog: () => updates.reset(),
      cards: ({ signal }) => models.cards(signal),
      lookForServer: ({ input, signal }) => models.lookForServer(input.program, signal),
      strain: () => strain.now(),
      noteStrain: ({ input }) => strain.note(input),
      pull: ({ input, signal }) => progressStream((note, stop) => models.pull(input.id, note, stop), signal),
      probe: ({ input, signal }) =>
        progressStream((note, stop) => probeModel(input.id, prober, { onProgress: note, signal: stop }), signal),
      import: ({ input, signal }) => models.add(input, signal),
      addAdapter: ({ input, signal }) => models.addAdapter(input, signal),
      remove: ({ input, signal }) => models.remove(input.id, signal),
      repair: ({ input, signal }) => models.repair(input.id, input.apply, signal),
    },
    plan: ({ input, signal }) => plan.plan(input, signal),
  } satisfies Partial<Handlers>;
}
