import { z } from 'zod';
import { effortSchema } from '@shared/models/model-info.ts';
import { policySchema } from '@shared/routing/routing.ts';
import { taskModes } from '@shared/text/task-mode.ts';

/** What the person chose for a message. For what is absent, the settings and the words of the message decide. */
export const chosenOptionsSchema = z.object({
  policy: policySchema.optional(),
  local: z.string().optional(),
  cloud: z.string().optional(),
  thinking: effortSchema.optional(),
  mode: z.enum(taskModes).optional(),
  assistant: z.string().optional(),
});
export type ChosenOptions = Readonly<z.infer<typeof chosenOptionsSchema>>;

/** The choices among a message's options. */
export function chosenOptions(run: ChosenOptions & { readonly plan: boolean }): ChosenOptions {
  const { policy, local, cloud, thinking, assistant } = run;
  const mode = run.mode ?? (run.plan ? 'plan' : undefined);
  return chosenOptionsSchema.parse(
    Object.fromEntries(
      Object.entries({ policy, local, cloud, thinking, mode, assistant }).filter(([, value]) => value !== undefined),
    ),
  );
}
