import { z } from 'zod';
import { policySchema } from '@shared/routing/routing.ts';

/** On what one project's steps run, otherwise than all others'; what is absent is as for all. */
export const projectModelsSchema = z.strictObject({
  policy: policySchema.optional(),
  local: z.string().min(1).optional(),
  /** Null: none, whatever holds for other projects. */
  cloud: z.string().min(1).nullable().optional(),
});
export type ProjectModels = z.infer<typeof projectModelsSchema>;
