import { valueOf } from '@shared/errors.ts';
import type { CoreApi } from './api/core-api.ts';
import { createImages, type ImagesDeps } from './sandbox/images.ts';
import { createPreparations, type PreparationsDeps } from './sandbox/preparations.ts';

export type PreparationCommands = Pick<
  CoreApi,
  'projectParts' | 'planPreparation' | 'prepareProject' | 'projectImage' | 'bringImage' | 'clean'
>;

/** The commands about what projects need to be worked on; one installation at a time in a home. */
export function createPreparationCommands(deps: PreparationsDeps & ImagesDeps): PreparationCommands {
  const preparations = createPreparations(deps);
  const images = createImages(deps);
  let last: Promise<unknown> = Promise.resolve();
  return {
    projectParts: async (projectPath, signal) => valueOf(await preparations.parts(projectPath, signal)),
    planPreparation: async (input, signal) => valueOf(await preparations.plan(input, signal)),
    prepareProject: async (input, onProgress, signal) => {
      const before = last.catch(() => undefined);
      const work = before.then(() => preparations.prepare({ ...input, onProgress }, signal));
      last = work;
      return valueOf(await work);
    },
    projectImage: (projectPath) => images.ofProject(projectPath),
    bringImage: (request, onProgress, signal) => images.bring(request, onProgress, signal),
    clean: async (remove, signal) => valueOf(await preparations.clean(remove, signal)),
  };
}
