/** Where steps may run, as a person chooses it. */
export const policies = ['local', 'hybrid', 'cloud'] as const;
export type Policy = (typeof policies)[number];
