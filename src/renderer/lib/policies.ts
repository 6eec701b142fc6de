/** Where steps may run, in a word each. */
export const policies = ['local', 'hybrid', 'cloud'] as const;
/** The same, and the presets of the numbers that `hybrid` goes by. */
export const choosablePolicies = [...policies, 'economy', 'balanced', 'quality'] as const;
export type Policy = (typeof choosablePolicies)[number];
