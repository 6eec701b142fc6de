/** The id of the line of a step or an action in the document. */
export const rowId = (id: string): string => `row-${id}`;
