import { z } from 'zod';

export const planItemStateSchema = z.enum(['open', 'working', 'done', 'dropped']);
const planItemSchema = z.object({ text: z.string(), state: planItemStateSchema });
export type PlanItem = Readonly<z.infer<typeof planItemSchema>>;

export const planEvents = {
  /** How far a plan that is carried out is, as the model says: all of its items. The last one of a turn holds. */
  'plan-progressed': z.object({ items: z.array(planItemSchema) }),
} as const;
