import { basename } from 'node:path';
import { AppError, valueOf, type Reply } from '@shared/errors.ts';
import type { FoundInDocuments, SearchProgress, VectorProgress } from '@shared/documents/document-search.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import type { ProjectMap } from '@shared/projects/project-map.ts';
import type { PrepareProgress } from '@shared/projects/project-preparation.ts';
import type { BringProgress } from '@shared/sandbox/sandbox-images.ts';
import { progressStream, wholeStream } from '../lib/async/push-queue.ts';
import type { ProjectInstructions } from '../safety/instructions/project-instructions.ts';
import { planCopy } from '../sandbox/workspace/workspace-copy-plan.ts';
import type { ProjectImages } from '../sandbox/images/project-images.ts';
import type { PackagePreparations } from '../sandbox/packages/package-preparations.ts';
import { checkWorkspace } from '../sandbox/workspace/prepare-workspace.ts';
import type { Handlers } from '../server/handlers.ts';
import type { Moving, ProjectStore } from './project-store.ts';
import { describeRemoval, type ProjectContents } from './describe-removal.ts';
import type { ProjectSetup } from './configure-project.ts';

export interface ProjectCommandsOptions {
  readonly homePath: string;
  readonly setup: ProjectSetup;
  readonly book: ProjectStore;
  /** What is known of a project by its key. */
  readonly contents: (project: string) => Promise<ProjectContents>;
  readonly preparations: PackagePreparations;
  readonly images: ProjectImages;
  readonly instructions: ProjectInstructions;
  /** Reads a project's names. `folder` is a real path. */
  readonly mapProject: (
    folder: string,
    ask: { readonly words: string; readonly tokens: number },
    signal: AbortSignal,
  ) => Promise<Reply<ProjectMap>>;
  /** Removes what the index of documents has of these paths and below them. */
  readonly forgetPaths: (paths: readonly string[], signal: AbortSignal) => Promise<void>;
  /** Takes the sessions and tools of a project along to where its folder lies now. */
  readonly moveWork: Moving;
  /** Finds parts of a folder's documents. `folder`: a real path, or the key of a project without one. */
  readonly searchFolder: (
    folder: string,
    ask: {
      readonly words: string;
      readonly limit: number;
      readonly onVectors: ((progress: VectorProgress) => void) | undefined;
    },
    signal: AbortSignal,
  ) => Promise<Reply<FoundInDocuments>>;
}

const shownPaths = 5;

/** The commands for what projects need and bring along. One installation runs at a time in a home. */
export function createProjectCommands(options: ProjectCommandsOptions): Handlers['projects'] {
  const { setup, book, preparations, images, instructions } = options;
  let last: Promise<unknown> = Promise.resolve();
  return {
    records: () => book.list(),
    page: ({ input }) => book.page(input.project),
    create: ({ input }) => book.create(input),
    change: ({ input, signal }) => book.change(input.project, input.change, { ...options.moveWork, signal }),
    removal: async ({ input: { project } }) =>
      describeRemoval(await book.page(project), await options.contents(project)),
    remove: async ({ input }) => ({ id: (await book.remove(input.project))?.id ?? null }),
    restore: ({ input }) => book.restore(input.id),
    settings: ({ input }) => setup.show(input.projectPath),
    configure: async ({ input: { projectPath, change }, signal }) => {
      const changed = await setup.change(projectPath, change);
      if (change.type === 'no-folder')
        await options.forgetPaths([basename(change.path)], signal).catch((cause: unknown) => {
          throw new AppError('internal', `${change.path} is no longer searched, but its text is still in the index.`, {
            hint: 'Add the folder and remove it again. What no search looks at goes from the index by itself, after 60 days.',
            cause,
          });
        });
      return changed;
    },
    parts: async ({ input, signal }) => valueOf(await preparations.parts(input.projectPath, signal)),
    preparation: async ({ input, signal }) => valueOf(await preparations.plan(input, signal)),
    prepare: ({ input, signal }) =>
      wholeStream<PrepareProgress>(async (tell, stop) => {
        // The caller of the one before gets its error.
        const before = last.catch(() => undefined);
        const onProgress = (text: string): void => tell({ type: 'text', text });
        const work = before.then(() => preparations.prepare({ ...input, onProgress }, stop));
        last = work;
        tell({ type: 'ended', plan: valueOf(await work) });
      }, signal),
    removePackages: async ({ input, signal }) => valueOf(await preparations.remove(input.projectPath, signal)),
    image: ({ input }) => images.ofProject(input.projectPath),
    copySize: async ({ input, signal }) => {
      const from = valueOf(await checkWorkspace(input.projectPath, { homePath: options.homePath, needsWrite: false }));
      const { files, bytes, leftOut } = await planCopy(from, signal);
      const paths = leftOut.paths.slice(0, shownPaths);
      return { files, bytes, leftOut: { ...leftOut, paths, morePaths: leftOut.paths.length - paths.length } };
    },
    map: async ({ input: { projectPath, about, tokens }, signal }) => {
      const folder = valueOf(await checkWorkspace(projectPath, { homePath: options.homePath, needsWrite: false }));
      return valueOf(await options.mapProject(folder, { words: about, tokens }, signal));
    },
    search: ({ input: { projectPath, words, limit, wait }, signal }) =>
      progressStream<SearchProgress>(async (tell, stop) => {
        // Without a folder, what the person added to the project is searched.
        const folder = hasNoFolder(projectPath)
          ? projectPath
          : valueOf(await checkWorkspace(projectPath, { homePath: options.homePath, needsWrite: false }));
        const asked = { words, limit, onVectors: wait ? tell : undefined };
        const found = valueOf(await options.searchFolder(folder, asked, stop));
        tell({ type: 'ended', ...found });
      }, signal),
    bringImage: ({ input, signal }) =>
      progressStream<BringProgress>(async (tell, stop) => {
        const image = await images.bring(input, (text) => tell({ type: 'text', text }), stop);
        tell({ type: 'ended', image });
      }, signal),
    instructions: ({ input }) => instructions.list(input.projectPath),
    approveInstructions: async ({ input }) => {
      await instructions.approve(input.projectPath, input.path, input.sha256);
      return instructions.list(input.projectPath);
    },
    forgetInstructions: ({ input }) => instructions.forget(input.projectPath, input.path),
  };
}
