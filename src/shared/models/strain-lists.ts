/**
 * From the weakest to the strongest. `usual`: change nothing. `slower`: use half the threads; the next two do so, too.
 * `smaller`: use the next smaller local model from the next message on. `cloud`: use the cloud model if the policy
 * allows it. `unload`: free the model's memory soon after an answer.
 */
export const strainActs = ['usual', 'slower', 'smaller', 'cloud', 'unload'] as const;
export type StrainAct = (typeof strainActs)[number];

export const strainCauses = ['battery', 'heat', 'memory', 'card'] as const;
export type StrainCause = (typeof strainCauses)[number];
