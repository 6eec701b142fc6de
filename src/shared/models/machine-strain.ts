import { z } from 'zod';

/**
 * From the weakest to the strongest. `usual`: nothing is done. `slower`: half of the threads, as with the next two. `smaller`:
 * the next smaller local model, from the next message on. `cloud`: the cloud model, where the policy leaves the choice.
 * `unload`: the model gives its memory back soon after an answer.
 */
const strainActs = ['usual', 'slower', 'smaller', 'cloud', 'unload'] as const;
export type StrainAct = (typeof strainActs)[number];

/** What models of this machine do when it is under strain. */
export const powerSettingsSchema = z.strictObject({
  battery: z.enum(strainActs).default('usual'),
  heat: z.enum(strainActs).default('slower'),
  memory: z.enum(strainActs).default('unload'),
  card: z.enum(strainActs).default('unload'),
});
export type PowerSettings = z.infer<typeof powerSettingsSchema>;

export const strainCauses = ['battery', 'heat', 'memory', 'card'] as const;
export type StrainCause = (typeof strainCauses)[number];

/** Whether each of them is the case; null: nobody here knows. */
export const strainFactsSchema = z.object({
  battery: z.boolean().nullable(),
  heat: z.boolean().nullable(),
  memory: z.boolean().nullable(),
  /** Other programs hold much of the card's memory. */
  card: z.boolean().nullable(),
});
export type StrainFacts = z.infer<typeof strainFactsSchema>;

export interface Strain {
  readonly act: StrainAct;
  /** Why; empty where nothing is done. */
  readonly causes: readonly StrainCause[];
}

/** What a turn does otherwise because of it, as its log keeps it. */
export const easeSchema = z.object({
  act: z.enum(['smaller', 'cloud']),
  causes: z.array(z.enum(strainCauses)),
});
export type Ease = z.infer<typeof easeSchema>;

/** The strongest of what the settings want for what is the case. What is not known does nothing. */
export function strainOf(facts: StrainFacts, settings: PowerSettings): Strain {
  const wanted = strainCauses.filter((cause) => facts[cause] === true && settings[cause] !== 'usual');
  const act = strainActs.findLast((one) => wanted.some((cause) => settings[cause] === one)) ?? 'usual';
  return { act, causes: wanted.filter((cause) => settings[cause] === act) };
}

/** Whether a model that only lies in memory gives it back. */
export function givesMemoryBack({ act, causes }: Strain): boolean {
  return act === 'unload' || (act === 'cloud' && causes.some((cause) => cause === 'memory' || cause === 'card'));
}

const causeWords: Readonly<Record<StrainCause, string>> = {
  battery: 'the machine runs on battery',
  heat: 'the machine is hot',
  memory: 'other programs need the memory',
  card: 'other programs use the graphics card',
};

/** The end of a sentence: "because …". */
export function causesText(causes: readonly StrainCause[]): string {
  return causes.map((cause) => causeWords[cause]).join(' and ');
}
