/** Translates the phases of a store to those that hosts show. */
export const pullPhases = { waiting: 'checking', downloading: 'downloading', checking: 'verifying' } as const;
