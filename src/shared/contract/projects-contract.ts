import { type } from '@orpc/contract';
import { z } from 'zod';
import type { CitedPart } from '@shared/documents/cited-part.ts';
import type { SearchProgress } from '@shared/documents/document-search.ts';
import { mostKnowledgeFiles, type Knowledge, type KnowledgeProgress } from '@shared/documents/knowledge.ts';
import { base, bySession } from './contract-base.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import type {
  KeptItem,
  PreparationPart,
  PreparationPlan,
  PrepareProgress,
} from '@shared/projects/project-preparation.ts';
import type { ProjectMap } from '@shared/projects/project-map.ts';
import type { ProjectHead, ProjectPage, ProjectRemoval } from '@shared/projects/project-page.ts';
import { newProjectSchema, recordChangeSchema } from '@shared/projects/project-record.ts';
import type { ProjectSettings } from '@shared/projects/project-settings.ts';
import { projectChangeSchema } from '@shared/projects/project-settings.ts';
import { bringImageSchema, type BringProgress, type ProjectImage } from '@shared/sandbox/sandbox-images.ts';

export interface CopySize {
  readonly files: number;
  readonly bytes: number;
  /** What ignore files name, and so is not copied. `paths` lists the first ones; `morePaths` counts the others. */
  readonly leftOut: {
    readonly files: number;
    readonly bytes: number;
    readonly paths: readonly string[];
    readonly morePaths: number;
  };
}

const projectPath = z.string().min(1).max(4096);
const project = z.string().min(1).max(4096);
const filePath = z.string().min(1).max(4096);
const preparationInput = z.object({
  projectPath,
  hosts: z.array(z.string().min(1).max(253)).max(50).default([]),
  /** Installs again what is already installed, if commands have changed it since. */
  anew: z.boolean().optional(),
  /** Installs language servers, too, and again with the packages. */
  languageServers: z.boolean().optional(),
});

/** What a project needs before work can start. */
export const projectsContract = {
  /** What the user said about projects: name, icon, folder, defaults. A folder of the list may have no record yet. */
  records: base.output(type<readonly ProjectHead[]>()),
  /** One project, by its key: its folder, or `project:ID`. */
  page: base.input(z.object({ project })).output(type<ProjectPage>()),
  /** Makes a project. It needs no folder. Two may have the same name. */
  create: base.input(newProjectSchema).output(type<ProjectHead>()),
  /** Changes what is said about a project. Talks use it from their next message on. */
  change: base.input(z.object({ project, change: recordChangeSchema })).output(type<ProjectHead>()),
  /** What deleting it takes away, and what stays. Deletes nothing. */
  removal: base.input(z.object({ project })).output(type<ProjectRemoval>()),
  /** Deletes a project. Its talks and its folder stay. It can be restored for 30 days. */
  remove: base.input(z.object({ project })).output(type<{ readonly id: string | null }>()),
  restore: base.input(z.object({ id: z.string().min(1).max(40) })).output(type<ProjectHead>()),
  /** A project's own settings. Quick; starts nothing. */
  settings: base.input(z.object({ projectPath })).output(type<ProjectSettings>()),
  /** Changes one of them. Sessions use it from their next message on. */
  configure: base.input(z.object({ projectPath, change: projectChangeSchema })).output(type<ProjectSettings>()),
  /** Whether a project's packages are installed. Quick; starts nothing. */
  parts: base.input(z.object({ projectPath })).output(type<readonly PreparationPart[]>()),
  /** The commands that would install them, and the hosts that they would reach. Installs nothing. */
  preparation: base.input(preparationInput).output(type<PreparationPlan>()),
  /** Runs exactly what was approved (`approval` of the plan). */
  prepare: base
    .input(preparationInput.extend({ approval: z.string().length(64) }))
    .output(type<AsyncIterable<PrepareProgress>>()),
  /** The instruction files for agents that a project contains, and the decision about each. */
  instructions: base.input(z.object({ projectPath })).output(type<readonly InstructionFile[]>()),
  /** Approves exactly these bytes. `conflict` when the file has changed since. */
  approveInstructions: base
    .input(z.object({ projectPath, path: filePath, sha256: z.string().length(64) }))
    .output(type<readonly InstructionFile[]>()),
  /** Withdraws approvals; with `path` null, all of the project. Returns the paths that had one. */
  forgetInstructions: base
    .input(z.object({ projectPath, path: filePath.nullable() }))
    .output(type<readonly string[]>()),
  /** Removes the packages that were installed for a project, except what a sandbox uses now. */
  removePackages: base.input(z.object({ projectPath })).output(type<readonly KeptItem[]>()),
  /** The image that a project defines; null when it defines none. */
  image: base.input(z.object({ projectPath })).output(type<ProjectImage | null>()),
  /** What a session on a copy of the project would copy. Copies nothing. */
  copySize: base.input(z.object({ projectPath })).output(type<CopySize>()),
  /** The map of a project. The first one reads all of its sources, which takes seconds for each 50,000 lines. */
  map: base
    .input(
      z.object({
        projectPath,
        /** Words that the shown names should be about. */
        about: z.string().max(20_000).default(''),
        tokens: z.number().int().min(50).max(100_000).default(4_000),
      }),
    )
    .output(type<ProjectMap>()),
  /** The parts of the documents of a folder that fit some words best. What is hidden from models is not there. */
  search: base
    .input(
      z.object({
        projectPath,
        words: z.string().min(1).max(1000),
        limit: z.number().int().min(1).max(50).default(6),
        /** Makes the vectors of all parts before the search, which may take long. */
        wait: z.boolean().default(false),
      }),
    )
    .output(type<AsyncIterable<SearchProgress>>()),
  /** Imports, downloads or builds an image. For a project's image, does only what was approved. */
  bringImage: base.input(bringImageSchema).output(type<AsyncIterable<BringProgress>>()),
};

const sourceSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), path: filePath }),
  z.object({ type: z.literal('page'), url: z.string().min(1).max(4_000) }),
]);
const knowledgeName = z.string().min(1).max(255);

/** What is always at hand in a project: copies of files and pages in the home. */
export const knowledgeContract = {
  list: base.input(z.object({ projectPath })).output(type<Knowledge>()),
  /** Copies files and fetches pages, each once, and reads them into the index. */
  add: base
    .input(z.object({ projectPath, sources: z.array(sourceSchema).min(1).max(mostKnowledgeFiles) }))
    .output(type<AsyncIterable<KnowledgeProgress>>()),
  /** Removes copies, with their text in the index and their vectors. `not-found` for a name that is not there. */
  remove: base
    .input(z.object({ projectPath, names: z.array(knowledgeName).min(1).max(mostKnowledgeFiles) }))
    .output(type<Knowledge>()),
  /** Whether the whole text goes to models that have room for it, or is searched. */
  setWhole: base.input(z.object({ projectPath, name: knowledgeName, isWhole: z.boolean() })).output(type<Knowledge>()),
};

const count = z.number().int().positive().max(10_000_000);

const placeSchema = z.object({
  path: z.string().min(1).max(4096),
  line: count.optional(),
  part: z.object({ word: z.enum(['page', 'sheet', 'cell']), number: count }).optional(),
  cell: z
    .object({ sheet: z.string().min(1).max(100).optional(), cell: z.string().regex(/^[A-Z]{1,3}\d{1,7}$/u) })
    .optional(),
});

/** Places in documents of a session that its answers cite. What is hidden from models is not there. */
export const documentsContract = {
  /** Whether each of these places is there. */
  find: base
    .input(bySession.extend({ places: z.array(placeSchema).min(1).max(100) }))
    .output(type<readonly boolean[]>()),
  /** The part that a place is in. Null: it is not there. */
  show: base.input(bySession.extend({ place: placeSchema })).output(type<CitedPart | null>()),
};
