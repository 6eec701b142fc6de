/** The window has somebody in front of it: what needs an answer, and a cap that is reached, waits for them. */
export const interactiveOptions = { interactive: true, atCap: 'ask' } as const;
