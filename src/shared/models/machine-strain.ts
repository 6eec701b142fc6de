import { z } from 'zod';

/** `usual`: nothing is done. `slower`: half of the threads. `unload`: the model gives its memory back soon after an answer. */
const strainActs = ['usual', 'slower', 'unload'] as const;
export type StrainAct = (typeof strainActs)[number];

/** What models of this machine do when it is under strain. */
export const powerSettingsSchema = z.strictObject({
  battery: z.enum(strainActs).default('usual'),
  heat: z.enum(strainActs).default('slower'),
  memory: z.enum(strainActs).default('unload'),
});
export type PowerSettings = z.infer<typeof powerSettingsSchema>;

export const strainCauses = ['battery', 'heat', 'memory'] as const;
export type StrainCause = (typeof strainCauses)[number];

/** Whether each of the three is the case; null: nobody here knows. */
export const strainFactsSchema = z.object({
  battery: z.boolean().nullable(),
  heat: z.boolean().nullable(),
  memory: z.boolean().nullable(),
});
export type StrainFacts = z.infer<typeof strainFactsSchema>;

export interface Strain {
  readonly act: StrainAct;
  /** Why; empty where nothing is done. */
  readonly causes: readonly StrainCause[];
}

/** The strongest of what the settings want for what is the case. What is not known does nothing. */
export function strainOf(facts: StrainFacts, settings: PowerSettings): Strain {
  const wanted = strainCauses.filter((cause) => facts[cause] === true && settings[cause] !== 'usual');
  const act = strainActs.findLast((one) => wanted.some((cause) => settings[cause] === one)) ?? 'usual';
  return { act, causes: wanted.filter((cause) => settings[cause] === act) };
}
