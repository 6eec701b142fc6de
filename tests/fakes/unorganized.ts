/** What a line of the list of sessions says of a session that nobody put in order, and in which no model was called. */
export const unorganized = { isPinned: false, isArchived: false, tags: [], models: [], places: [] } as const;
