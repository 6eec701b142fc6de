/** The DOM id of the row of a step or an action. */
export const rowId = (id: string): string => `row-${id}`;
