/** What a store calls the parts of its work, and what hosts are told. */
export const pullPhases = { waiting: 'checking', downloading: 'downloading', checking: 'verifying' } as const;
