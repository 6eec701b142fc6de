import { z } from 'zod';
import { policySchema } from '@shared/routing/routing.ts';

/** A project's own models and policy. An absent field is the same as for all projects. */
export const projectModelsSchema = z.strictObject({
  policy: policySchema.optional(),
  local: z.string().min(1).optional(),
  /** Null: no cloud model, whatever the general setting says. */
  cloud: z.string().min(1).nullable().optional(),
});
export type ProjectModels = z.infer<typeof projectModelsSchema>;
