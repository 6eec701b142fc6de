import { AppError, valueOf } from '@shared/errors.ts';
import type { CoreApi } from '../server/core-api.ts';
import { cleanHome, type HomeFolders } from '../home/clean-home.ts';
import type { ProjectInstructions } from '../safety/instructions/project-instructions.ts';
import { createProjectImages, type ProjectImagesDependencies } from '../sandbox/images/project-images.ts';
import { planCopy } from '../sandbox/workspace/workspace-copy-plan.ts';
import { createPackagePreparations, type PreparationsDeps } from '../sandbox/packages/package-preparations.ts';
import { checkWorkspace } from '../sandbox/workspace/prepare-workspace.ts';

export type PreparationCommands = Pick<
  CoreApi,
  | 'listInstructions'
  | 'approveInstructions'
  | 'forgetInstructions'
  | 'projectParts'
  | 'planPreparation'
  | 'prepareProject'
  | 'removePackages'
  | 'projectImage'
  | 'copySize'
  | 'bringImage'
  | 'clean'
>;

const shownPaths = 5;

/** The commands about what projects need and bring along; one installation at a time in a home. */
export function createPreparationCommands(
  deps: PreparationsDeps & ProjectImagesDependencies & HomeFolders & { readonly instructions: ProjectInstructions },
): PreparationCommands {
  const preparations = createPackagePreparations(deps);
  const images = createProjectImages(deps);
  const { instructions } = deps;
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
    removePackages: async (projectPath, signal) => valueOf(await preparations.remove(projectPath, signal)),
    projectImage: (projectPath) => images.ofProject(projectPath),
    copySize: async (path, signal) => {
      const from = valueOf(await checkWorkspace(path, { homePath: deps.homePath, needsWrite: false }));
      const { files, bytes, leftOut } = await planCopy(from, signal);
      const paths = leftOut.paths.slice(0, shownPaths);
      return { files, bytes, leftOut: { ...leftOut, paths, morePaths: leftOut.paths.length - paths.length } };
    },
    bringImage: (request, onProgress, signal) => images.bring(request, onProgress, signal),
    listInstructions: (projectPath) => instructions.list(projectPath),
    approveInstructions: async (projectPath, path, sha256) => {
      await instructions.approve(projectPath, path, sha256);
      return instructions.list(projectPath);
    },
    forgetInstructions: (projectPath, path) => instructions.forget(projectPath, path),
    clean: async (request, signal) => {
      const inEngine = await preparations.clean(request, signal);
      // Without an engine there is nothing of ours in it, or nothing to be seen of it.
      if (!inEngine.ok && inEngine.error.code !== 'missing-sandbox')
        throw new AppError(inEngine.error.code, inEngine.error.message);
      const inHome = await cleanHome(deps, request.remove !== 'nothing', signal);
      return [...(inEngine.ok ? inEngine.value : []), ...inHome];
    },
  };
}
