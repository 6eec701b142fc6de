import { z } from 'zod';
import { policySchema } from './routing.ts';

const cap = z.number().nonnegative().nullable().optional();

/** What one project has otherwise than all others; what is absent is as for all. */
export const projectChoicesSchema = z.strictObject({
  policy: policySchema.optional(),
  local: z.string().min(1).optional(),
  /** Null: none, whatever holds for other projects. */
  cloud: z.string().min(1).nullable().optional(),
  /** Caps on money in US dollars; null: none in this project. */
  budget: z.strictObject({ step: cap, task: cap, session: cap, project: cap }).optional(),
});
export type ProjectChoices = z.infer<typeof projectChoicesSchema>;

export const projectCaps = ['step', 'task', 'session', 'project'] as const;
export type ProjectCap = (typeof projectCaps)[number];
