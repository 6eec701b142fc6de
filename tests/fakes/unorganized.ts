/** The fields of a session list entry for a session that nobody organized and in which no model was called. */
export const unorganized = { isPinned: false, isArchived: false, tags: [], models: [], places: [] } as const;
