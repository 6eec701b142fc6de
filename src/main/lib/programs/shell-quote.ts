/** A text as one word of a shell command, whatever it contains. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
