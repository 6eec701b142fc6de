/** Options for a window, where a user can answer: approvals and spending limits wait for the user. */
export const interactiveOptions = { interactive: true, atCap: 'ask' } as const;
