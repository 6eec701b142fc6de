/** Where steps may run, in one word each. */
export const routingPolicies = ['local', 'hybrid', 'cloud'] as const;
/** The same, and the profiles of `hybrid`. */
export const choosablePolicies = [...routingPolicies, 'economy', 'balanced', 'quality'] as const;
export type Policy = (typeof choosablePolicies)[number];
