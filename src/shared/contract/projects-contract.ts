import { type } from '@orpc/contract';
import { z } from 'zod';
import { base } from './contract-base.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import type {
  KeptItem,
  PreparationPart,
  PreparationPlan,
  PrepareProgress,
} from '@shared/projects/project-preparation.ts';
import type { ProjectSettings } from '@shared/projects/project-settings.ts';
import { projectChangeSchema } from '@shared/projects/project-settings.ts';
import { bringImageSchema, type BringProgress, type ProjectImage } from '@shared/sandbox/sandbox-images.ts';

export interface CopySize {
  readonly files: number;
  readonly bytes: number;
  /** What ignore files name and what is not copied; `paths` are the first of it, and there are `morePaths`. */
  readonly leftOut: {
    readonly files: number;
    readonly bytes: number;
    readonly paths: readonly string[];
    readonly morePaths: number;
  };
}

const projectPath = z.string().min(1).max(4096);
const filePath = z.string().min(1).max(4096);
const preparationInput = z.object({
  projectPath,
  hosts: z.array(z.string().min(1).max(253)).max(50).default([]),
  /** Also what is ready, where commands have changed it since. */
  anew: z.boolean().optional(),
});

/** What projects need to be worked on. */
export const projectsContract = {
  /** What a project has of its own. Quick; starts nothing. */
  settings: base.input(z.object({ projectPath })).output(type<ProjectSettings>()),
  /** One change of that; sessions have it from their next message on. */
  configure: base.input(z.object({ projectPath, change: projectChangeSchema })).output(type<ProjectSettings>()),
  /** How it stands with the packages of a project: installed or not. Quick; starts nothing. */
  parts: base.input(z.object({ projectPath })).output(type<readonly PreparationPart[]>()),
  /** What would be run to install them, and which hosts it would reach. Installs nothing. */
  preparation: base.input(preparationInput).output(type<PreparationPlan>()),
  /** Runs what was approved (`approval` of the plan) and nothing else. */
  prepare: base
    .input(preparationInput.extend({ approval: z.string().length(64) }))
    .output(type<AsyncIterable<PrepareProgress>>()),
  /** The files of instructions for agents that a project brings along, and what was said to each. */
  instructions: base.input(z.object({ projectPath })).output(type<readonly InstructionFile[]>()),
  /** A yes to exactly these bytes: `conflict` when they are others by now. */
  approveInstructions: base
    .input(z.object({ projectPath, path: filePath, sha256: z.string().length(64) }))
    .output(type<readonly InstructionFile[]>()),
  /** Takes it back; `path` null: all of the project. The paths that had a yes. */
  forgetInstructions: base
    .input(z.object({ projectPath, path: filePath.nullable() }))
    .output(type<readonly string[]>()),
  /** Removes the packages that were installed for a project; what a sandbox uses at the moment stays. */
  removePackages: base.input(z.object({ projectPath })).output(type<readonly KeptItem[]>()),
  /** The image that a project brings along; null where it brings none. */
  image: base.input(z.object({ projectPath })).output(type<ProjectImage | null>()),
  /** What a session on a copy of the project would copy. Copies nothing. */
  copySize: base.input(z.object({ projectPath })).output(type<CopySize>()),
  /** Imports, fetches or builds an image; of a project only what was approved. */
  bringImage: base.input(bringImageSchema).output(type<AsyncIterable<BringProgress>>()),
};
