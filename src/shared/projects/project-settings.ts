import { z } from 'zod';
import type { ProjectModels } from './project-models.ts';
import { projectModelsSchema } from './project-models.ts';
import type { Policy } from '@shared/routing/routing.ts';

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Letters, digits and _, and no digit at its beginning.');

/** One change of a project's own settings. Everything else stays. */
export const projectChangeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('choose'), choices: projectModelsSchema }),
  /** Uses the general settings again. */
  z.object({ type: z.literal('forget'), names: z.array(z.enum(['policy', 'local', 'cloud'])).min(1) }),
  z.object({ type: z.literal('variable'), name: variable, value: z.string().max(32_768) }),
  /** The value stays in the environment that Dewpoint was started in. */
  z.object({ type: z.literal('secret'), name: variable }),
  z.object({ type: z.literal('no-variable'), name: variable }),
  /** A folder outside the project whose documents are searched with it, for reading only. */
  z.object({ type: z.literal('folder'), path: z.string().min(1).max(4096) }),
  /** Its parts are removed from the index. */
  z.object({ type: z.literal('no-folder'), path: z.string().min(1).max(4096) }),
  /** Null: the command that is found in the project again. */
  z.object({ type: z.literal('test-command'), command: z.string().trim().min(1).max(1_000).nullable() }),
  /**
   * The image's name in the container engine; null: the general one again. `approval`: of the definition it was made
   * from.
   */
  z.object({
    type: z.literal('image'),
    name: z.string().trim().min(1).max(400).nullable(),
    approval: z.string().length(64).nullable().optional(),
  }),
]);
export type ProjectChange = z.infer<typeof projectChangeSchema>;

/** A project's own settings, and the general ones that apply otherwise. */
export interface ProjectSettings {
  /** Whether the folder exists and can be worked in. */
  readonly isThere: boolean;
  /** What is wrong with it. `isGone`: nothing lies there any more. Absent: nothing, or the project has none. */
  readonly missing?: { readonly text: string; readonly isGone: boolean };
  readonly own: ProjectModels;
  readonly usual: {
    readonly policy: Policy;
    readonly local: string;
    readonly cloud: string | null;
    /** Null: Dewpoint's own image. */
    readonly image: string | null;
  };
  /** Variables for every command of the project. The settings hold their values. */
  readonly variables: Readonly<Record<string, string>>;
  /** Names only. The values come from Dewpoint's own environment and are masked in every output. */
  readonly secrets: readonly { readonly name: string; readonly isSet: boolean }[];
  /** Folders outside the project whose documents are searched with it. */
  readonly folders: readonly string[];
  /** The command that runs the tests, where the user set one. */
  readonly testCommand: string | null;
  /** Differs from the general image. `approval`: of the project's definition, if the image was made from it. */
  readonly image: { readonly name: string; readonly approval: string | null } | null;
}
