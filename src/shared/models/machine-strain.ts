import { z } from 'zod';
import { strainActs, strainCauses, type StrainAct, type StrainCause } from './strain-lists.ts';

/** What local models do when the machine is under strain. */
export const powerSettingsSchema = z.strictObject({
  battery: z.enum(strainActs).default('usual'),
  heat: z.enum(strainActs).default('slower'),
  memory: z.enum(strainActs).default('unload'),
  card: z.enum(strainActs).default('unload'),
});
export type PowerSettings = z.infer<typeof powerSettingsSchema>;

/** Whether each strain is present; null when this is unknown. */
export const strainFactsSchema = z.object({
  battery: z.boolean().nullable(),
  heat: z.boolean().nullable(),
  memory: z.boolean().nullable(),
  /** Other programs use much of the card's memory. */
  card: z.boolean().nullable(),
});
export type StrainFacts = z.infer<typeof strainFactsSchema>;

export interface Strain {
  readonly act: StrainAct;
  /** The reasons; empty when nothing changes. */
  readonly causes: readonly StrainCause[];
}

/** What a turn does differently because of the strain, as its log holds it. */
export const easeSchema = z.object({
  act: z.enum(['smaller', 'cloud']),
  causes: z.array(z.enum(strainCauses)),
});
export type Ease = z.infer<typeof easeSchema>;

/** The strongest act that the settings want for the present strains. Unknown strains count as absent. */
export function strainOf(facts: StrainFacts, settings: PowerSettings): Strain {
  const wanted = strainCauses.filter((cause) => facts[cause] === true && settings[cause] !== 'usual');
  const act = strainActs.findLast((one) => wanted.some((cause) => settings[cause] === one)) ?? 'usual';
  return { act, causes: wanted.filter((cause) => settings[cause] === act) };
}

/** Whether an idle model in memory is unloaded. */
export function givesMemoryBack({ act, causes }: Strain): boolean {
  return act === 'unload' || (act === 'cloud' && causes.some((cause) => cause === 'memory' || cause === 'card'));
}

const causeWords: Readonly<Record<StrainCause, string>> = {
  battery: 'the machine runs on battery',
  heat: 'the machine is hot',
  memory: 'other programs need the memory',
  card: 'other programs use the graphics card',
};

/** The reasons, for the end of a sentence: "because …". */
export function causesText(causes: readonly StrainCause[]): string {
  return causes.map((cause) => causeWords[cause]).join(' and ');
}
