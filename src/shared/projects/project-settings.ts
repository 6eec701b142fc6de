import { z } from 'zod';
import type { ProjectModels } from './project-models.ts';
import { projectModelsSchema } from './project-models.ts';
import type { Policy } from '@shared/routing/routing.ts';

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Letters, digits and _, and no digit at its beginning.');

/** One change of what a project has of its own; what it does not name stays. */
export const projectChangeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('choose'), choices: projectModelsSchema }),
  /** As for all projects again. */
  z.object({ type: z.literal('forget'), names: z.array(z.enum(['policy', 'local', 'cloud'])).min(1) }),
  z.object({ type: z.literal('variable'), name: variable, value: z.string().max(32_768) }),
  /** Its value stays where it is, in the environment that Dewpoint was started in. */
  z.object({ type: z.literal('secret'), name: variable }),
  z.object({ type: z.literal('no-variable'), name: variable }),
  /** By its name, as the container engine has it; null: as for all projects. `approval`: of what it was made of before. */
  z.object({
    type: z.literal('image'),
    name: z.string().trim().min(1).max(400).nullable(),
    approval: z.string().length(64).nullable().optional(),
  }),
]);
export type ProjectChange = z.infer<typeof projectChangeSchema>;

/** What one project has of its own, and what holds where it has nothing. */
export interface ProjectSettings {
  /** The folder can be worked in. */
  readonly isThere: boolean;
  readonly own: ProjectModels;
  readonly usual: {
    readonly policy: Policy;
    readonly local: string;
    readonly cloud: string | null;
    /** Null: Dewpoint's own. */
    readonly image: string | null;
  };
  /** Variables that every command of the project gets; these stand in the settings. */
  readonly variables: Readonly<Record<string, string>>;
  /** Never their values: those are taken from Dewpoint's own environment and masked in every output. */
  readonly secrets: readonly { readonly name: string; readonly isSet: boolean }[];
  /** Other than for all projects; `approval`: of what the project says, where the image came from that. */
  readonly image: { readonly name: string; readonly approval: string | null } | null;
}
