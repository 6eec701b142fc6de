import { z } from 'zod';
import { effortSchema } from '@shared/models/model-info.ts';
import { policySchema } from '@shared/routing/routing.ts';
import { taskModes } from '@shared/text/task-mode.ts';

/**
 * What the person chooses for a message and a session keeps. For what is absent, the settings and the words of the
 * message decide.
 */
export const chosenOptionsSchema = z.object({
  policy: policySchema.optional(),
  local: z.string().optional(),
  cloud: z.string().optional(),
  /** Every model that may work, the smallest first. Absent: `local`, then `cloud`. */
  modelOrder: z.array(z.string().min(1)).max(12).readonly().optional(),
  /** How hard models think, if they know this step. Absent: as set for each model. */
  thinking: effortSchema.optional(),
  /** How to read the message. Absent: its own words decide. */
  mode: z.enum(taskModes).optional(),
  /** The name of an assistant. Other options win over its settings. */
  assistant: z.string().optional(),
});
export type ChosenOptions = Readonly<z.infer<typeof chosenOptionsSchema>>;

/** How hard models think, as an option of a message. */
export function effortOption(effort: ChosenOptions['thinking']): ChosenOptions {
  return effort === undefined ? {} : { thinking: effort };
}

/** The choices among a message's options. */
export function chosenOptions(run: ChosenOptions): ChosenOptions {
  const chosen = Object.entries(run).filter(([, value]) => value !== undefined);
  return chosenOptionsSchema.parse(Object.fromEntries(chosen));
}

/** The options of a message, with what the session keeps where they choose nothing. */
export function withLastChosen<Run extends ChosenOptions>(run: Run, last: ChosenOptions): Run {
  const given = Object.entries(run).filter(([, value]) => value !== undefined);
  return { ...run, ...last, ...Object.fromEntries(given) };
}
