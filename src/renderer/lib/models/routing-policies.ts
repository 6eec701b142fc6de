/** Where steps may run, in a word each. */
export const routingPolicies = ['local', 'hybrid', 'cloud'] as const;
/** The same, and the presets of the numbers that `hybrid` goes by. */
export const choosablePolicies = [...routingPolicies, 'economy', 'balanced', 'quality'] as const;
export type Policy = (typeof choosablePolicies)[number];
